/** Names of the response headers that the specification leaves open (sections 4 and 8). */
export const HEADERS = {
  requestId: 'x-request-id',
  replayed: 'idempotent-replayed',
  retryAfter: 'retry-after',
} as const;

/** The rate-limit windows as they are named in headers. `submissions` stands on POST /submissions only. */
export const WINDOW_NAMES = ['minute', 'hour', 'day', 'submissions'] as const;
export type WindowName = (typeof WINDOW_NAMES)[number];

/** `x-ratelimit-remaining-minute`: how many requests are left; Reset is in seconds until the budget grows again. */
export const budgetHeader = (kind: 'limit' | 'remaining' | 'reset', window: WindowName) =>
  `x-ratelimit-${kind}-${window}` as const;

/** What an Idempotency-Key may hold: 8 to 100 characters (spec 4.6), letter case counts. */
export const IDEMPOTENCY_KEY_PATTERN = '^[A-Za-z0-9._:-]{8,100}$';
