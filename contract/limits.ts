/** The numbers of the specification (section 8, 2.2, 2.4, 4.5 to 4.8). Both sides read them here. */
export const LIMITS = {
  submissionUrls: 5000,
  indexCheckUrls: 50,
  urlLength: 2048,
  projectLength: { min: 2, max: 120 },
  queryLength: 120,
  idempotencyKeyLength: { min: 8, max: 100 },
  listPage: { max: 100, default: 20 },
  urlPage: { max: 500, default: 100 },
  requests: { minute: 120, hour: 3_000, day: 30_000 },
  submissionsPerMinute: 10,
} as const;

export const DEFAULT_PROJECT = 'API Submission';
