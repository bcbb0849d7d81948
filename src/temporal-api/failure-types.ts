/** Types of ApplicationFailures that code on the other side of the server distinguishes. */
export const FAILURE_TYPE = {
  /** The activity requests a later retry; nothing failed. */
  retryLater: 'NotYet',
  /** The ledger could not be used. The attempt does not count (activities/lost-attempts.ts). */
  ledgerUnavailable: 'LedgerUnavailable',
  /** The worker stops. The attempt does not count. */
  workerStops: 'WorkerStops',
  /** Another run of the watch is active. */
  runActive: 'RunActive',
  /** The API key was rejected (class AuthenticationError of the API client). */
  authentication: 'AuthenticationError',
  /** The watch or account is not in the worker's configuration. */
  notConfigured: 'NotConfigured',
  /** A job had no terminal state when its tracking deadline passed. */
  submissionOverdue: 'SubmissionOverdue',
  /** A run could read nothing. Its details hold the result of the run. */
  nothingRead: 'NothingRead',
  /** The sitemaps of a watch were incomplete in too many runs in a row. Its details hold the result of the run. */
  incompleteTooOften: 'IncompleteTooOften',
  /** A decision arrived for a run that already has one. */
  alreadyDecided: 'AlreadyDecided',
  /** A decision arrived for a run that no guard holds. */
  nothingHeld: 'NothingHeld',
} as const;
