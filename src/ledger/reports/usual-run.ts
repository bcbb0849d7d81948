import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';

/** What runs of a watch usually find: the medians of its last runs, without its first one. */
export interface UsualRun {
  /** Runs that the medians are of; 0: nothing is known. */
  readonly runs: number;
  readonly new: number;
  readonly changed: number;
}

const LAST_RUNS = 7;

/** Uses runs_by_watch. */
export async function getUsualRun(ledger: Ledger, watch: WatchId): Promise<UsualRun> {
  const rows = await ledger.db.all(sql<{ new_urls: number | null; changed: number | null }>`
    SELECT new_urls, changed FROM runs
    WHERE watch_id = ${(await findWatch(ledger.db, watch)) ?? 0} AND end_state = 'finished' AND first_run = 0
      AND complete = 1
    ORDER BY started_at DESC LIMIT ${LAST_RUNS}`);
  return {
    runs: rows.length,
    new: computeMedian(rows.map(({ new_urls }) => new_urls ?? 0)),
    changed: computeMedian(rows.map(({ changed }) => changed ?? 0)),
  };
}

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return Math.round((low + high) / 2);
}
