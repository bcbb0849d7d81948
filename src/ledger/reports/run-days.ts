import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { DAY } from './watch-days.ts';

/** What the runs of a watch found on a UTC day. */
export interface RunDay {
  readonly day: number;
  /** URLs in the sitemaps, by the last complete run of the day; null when no run of the day was complete. */
  readonly listed: number | null;
  /** New and gone since the finished run before. Those of a first run are not counted: everything is new to it. */
  readonly new: number;
  readonly gone: number;
  readonly finished: number;
  readonly incomplete: number;
}

/** A run an hour for a year: what is older of a watch that runs more often is left out. */
const MAX_RUNS = 9_000;

export interface RunDays {
  readonly days: readonly RunDay[];
  /** Since when the days are whole: later than asked for where there are too many runs. */
  readonly since: number;
}

/** In the order of time. */
export async function listRunDays(ledger: Ledger, watch: WatchId, since: number): Promise<RunDays> {
  const id = await findWatch(ledger.db, watch);
  const runs = id === null ? [] : await ledger.db.all(selectEndedRuns(id, since));
  const days = new Map<number, RunDay>();
  for (const run of runs.toReversed()) {
    const day = Math.floor(run.started_at / DAY) * DAY;
    const sum = days.get(day) ?? { day, listed: null, new: 0, gone: 0, finished: 0, incomplete: 0 };
    const counts = run.end_state === 'finished' && run.first_run === 0;
    days.set(day, {
      day,
      listed: run.complete === 1 ? run.found : sum.listed,
      new: sum.new + (counts ? (run.new_urls ?? 0) : 0),
      gone: sum.gone + (counts ? (run.gone ?? 0) : 0),
      finished: sum.finished + (run.end_state === 'finished' ? 1 : 0),
      incomplete: sum.incomplete + (run.complete === 1 ? 0 : 1),
    });
  }
  const cut = runs.length === MAX_RUNS ? (Math.floor((runs.at(-1)?.started_at ?? 0) / DAY) + 1) * DAY : since;
  return { days: [...days.values()].filter(({ day }) => day + DAY > cut), since: cut };
}

interface EndedRun {
  readonly started_at: number;
  readonly end_state: string;
  readonly complete: number | null;
  readonly first_run: number;
  readonly found: number | null;
  readonly new_urls: number | null;
  readonly gone: number | null;
}

/** Newest first, without runs that were only a plan for review. Uses runs_by_watch. */
export const selectEndedRuns = (watchId: number, since: number) => sql<EndedRun>`
  SELECT started_at, end_state, complete, first_run, found, new_urls, gone FROM runs
  WHERE watch_id = ${watchId} AND started_at >= ${since} AND ended_at IS NOT NULL AND end_state <> 'previewed'
  ORDER BY started_at DESC LIMIT ${MAX_RUNS}`;
