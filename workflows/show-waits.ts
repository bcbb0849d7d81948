import { condition } from '@temporalio/workflow';
import { toSummary } from '../src/temporal-api/summary.ts';
import { type CanWait, isWaiting, type Wait } from '../src/temporal-api/waits.ts';

export interface ShownWait {
  /** Waits from this length on are timers; null: none, each is a retry (decision 0007). */
  readonly fromMs: number | null;
  /** Begins the summary of the timer: "SUSPENDED". */
  readonly label: string;
  /** Ends the wait at once. */
  readonly stop: () => boolean;
  readonly onWait: (wait: Wait) => void;
}

/**
 * Calls an activity until it no longer waits. Each wait is a timer, whose summary the Web UI shows on its first page: for
 * what, and until when. Returns null when `stop` ended a wait, or when the call itself returned null.
 */
export async function showWaits<T>(
  call: (waits: CanWait) => Promise<T>,
  { fromMs, label, stop, onWait }: ShownWait,
): Promise<T | null> {
  let waits: CanWait = fromMs === null ? {} : { waits: { fromMs, attempts: 0, since: null } };
  for (;;) {
    const result = await call(waits);
    if (fromMs === null || !isWaiting(result)) return result;
    const { waitMs, why, next, attempts, since } = result.waiting;
    onWait(result.waiting);
    if (await condition(stop, waitMs, { summary: toSummary(`${label}: ${why}`, `; ${next}`) })) return null;
    waits = { waits: { fromMs, attempts, since } };
  }
}
