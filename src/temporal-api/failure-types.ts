/** Types of the ApplicationFailures that code on the other side of the server tells apart. */
export const FAILURE_TYPE = {
  /** The activity asks for a later try; nothing failed. */
  retryLater: 'NotYet',
  /** Another run of the watch is active. */
  runActive: 'RunActive',
  /** The API key was rejected (class AuthenticationError of the API client). */
  authentication: 'AuthenticationError',
  /** The watch or account is not in the worker's configuration. */
  notConfigured: 'NotConfigured',
  /** A job had no terminal state when its tracking deadline passed. */
  submissionOverdue: 'SubmissionOverdue',
  /** A decision came for a run that has one. */
  alreadyDecided: 'AlreadyDecided',
  /** A decision came for a run that no guard holds. */
  nothingHeld: 'NothingHeld',
} as const;
