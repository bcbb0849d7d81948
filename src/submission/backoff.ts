export interface BackoffSettings {
  readonly baseMs: number;
  readonly maxMs: number;
}

export const DEFAULT_BACKOFF: BackoffSettings = { baseMs: 1_000, maxMs: 5 * 60_000 };

/**
 * The wait before attempt `attempt + 1`: exponential with full jitter, so that workers that failed together do not retry
 * together. Never shorter than Retry-After. `random` is a number in [0, 1).
 */
export function backoffMs(
  attempt: number,
  random: number,
  retryAfterMs: number | null = null,
  { baseMs, maxMs }: BackoffSettings = DEFAULT_BACKOFF,
): number {
  const ceiling = Math.min(baseMs * 2 ** Math.min(Math.max(attempt, 1) - 1, 40), maxMs);
  const jittered = Math.round(baseMs / 2 + random * Math.max(ceiling - baseMs / 2, 0));
  return retryAfterMs === null ? jittered : retryAfterMs + Math.round(random * Math.min(baseMs, retryAfterMs / 10));
}

/**
 * The wait before something that has failed for `failingMs` is tried again: as long as it has failed so far, so that
 * waits double without a count of attempts. Most failures pass soon; those that do not cost few requests.
 */
export function elapsedBackoffMs(
  failingMs: number,
  { firstMs, maxMs }: { readonly firstMs: number; readonly maxMs: number },
): number {
  return Math.min(Math.max(failingMs, firstMs), maxMs);
}
