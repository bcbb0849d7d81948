/**
 * Recorded moments, and a clock that may have been wrong when they were recorded. A moment that lies in the future by more than
 * this was recorded under such a clock, and says nothing: what was sent then is looked up, what was to wait then is asked again.
 * Clocks of two workers differ by less, and so does a clock that is set back by its time server.
 */
export const CLOCK_TOLERANCE_MS = 10 * 60_000;

export const isFromFuture = (at: number, now: number): boolean => at > now + CLOCK_TOLERANCE_MS;

/** Whether at least `ms` have passed since a recorded moment. After one from the future, any time may have. */
export const hasPassed = (since: number, ms: number, now: number): boolean =>
  isFromFuture(since, now) || now - since >= ms;

/** A wait as it is recorded: its end, and when it began, from which it never lasts longer than it was to. */
export interface RecordedWait {
  readonly waits_since: number | null;
  readonly not_before: number | null;
}

/** When a wait ends; null: nothing is waited for any more. `isWaitingSql` (src/ledger/waits.ts) is the same in SQL. */
export function findWaitEnd({ waits_since: since, not_before: until }: RecordedWait, now: number): number | null {
  if (until === null || until <= now) return null;
  return since === null || isFromFuture(since, now) ? null : until;
}

/** Ignores a time from the future, which a wrong clock has recorded. */
export const notAfter = (now: number, at: number | null): number | null => (at === null ? null : Math.min(at, now));
