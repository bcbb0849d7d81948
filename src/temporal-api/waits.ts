/*
 * How an activity waits. Called plainly it fails with a benign failure that names the delay of its next attempt, which
 * costs no history (src/temporal-api/retry-later.ts). A workflow that shows its waits passes `waits`: then a wait of at
 * least `fromMs` ends the activity, and the workflow waits on a timer whose summary says for what and until when.
 */

export interface ShownWaits {
  /** Shorter waits stay retries. */
  readonly fromMs: number;
  /** Attempts of earlier calls: the delays of one wait grow with all of them. */
  readonly attempts: number;
  /** When the first call was scheduled, in milliseconds since 1970; null in the first call. */
  readonly since: number | null;
}

/** Part of the input of an activity that may wait. */
export interface CanWait {
  readonly waits?: ShownWaits;
}

/** What such an activity waits for. */
export interface Wait {
  readonly waitMs: number;
  /** The state, and what is missing. */
  readonly why: string;
  /** What comes next, with its time: "next check 2026-01-31 04:30 Europe/Istanbul". */
  readonly next: string;
  readonly attempts: number;
  readonly since: number;
}

/** The result of an activity that waits. */
export interface Waiting {
  readonly waiting: Wait;
}

export const isWaiting = (result: unknown): result is Waiting =>
  typeof result === 'object' && result !== null && 'waiting' in result && typeof result.waiting === 'object';
