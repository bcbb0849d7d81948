/** Job states, exactly the five of the specification (section 3). */
export const SUBMISSION_STATES = ['queued', 'processing', 'completed', 'partial', 'failed'] as const;
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** Service levels (spec 2.3). */
export const SERVICE_LEVELS = ['standard', 'fast'] as const;
export type ServiceLevel = (typeof SERVICE_LEVELS)[number];
