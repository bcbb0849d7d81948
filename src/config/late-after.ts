import type { Watch } from './config.ts';
import { listNextRuns } from './next-runs.ts';

/** Enough to have the longest pause of a schedule that names days of the week. */
const SEEN_RUNS = 8;

const pauses = new WeakMap<object, number>();

/**
 * How long a watch may go without a complete run, in milliseconds: `notify.no_success_after`, and the longest pause of its schedule
 * where that is longer. Null: nobody expects a run.
 */
export function getLateAfterMs({ schedule, paused }: Watch, noSuccessAfterMs: number): number | null {
  if (schedule === null || paused) return null;
  const longest = pauses.get(schedule) ?? findLongestPause(schedule);
  pauses.set(schedule, longest);
  return noSuccessAfterMs + (longest > noSuccessAfterMs ? longest : 0);
}

function findLongestPause(schedule: NonNullable<Watch['schedule']>): number {
  const runs = listNextRuns(schedule, SEEN_RUNS);
  return Math.max(0, ...runs.slice(1).map((at, index) => at - (runs[index] ?? at)));
}
