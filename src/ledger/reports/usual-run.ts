import { eachText, raw, sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** What runs of a watch usually find: the medians of its last runs, without its first one. */
export interface UsualRun {
  /** Runs that the medians are of; 0: nothing is known. */
  readonly runs: number;
  readonly new: number;
  readonly changed: number;
}

const LAST_RUNS = 7;

/** Of many watches, in one statement. Uses runs_by_watch. */
export async function listUsualRuns(
  { db }: Ledger,
  watches: readonly WatchId[],
): Promise<(watch: WatchId) => UsualRun> {
  const rows = await db.all(sql<{ watch: WatchId; new_urls: number | null; changed: number | null }>`
    SELECT w.name AS watch, r.new_urls, r.changed
    FROM (
      SELECT id, name, coalesce((
        SELECT started_at FROM runs WHERE watch_id = watches.id AND ${IS_USUAL}
        ORDER BY started_at DESC LIMIT 1 OFFSET ${LAST_RUNS - 1}), 0) AS since
      FROM watches WHERE name IN (SELECT value FROM ${eachText(watches)} AS names)) AS w
    JOIN runs AS r ON r.watch_id = w.id AND r.started_at >= w.since
    WHERE ${IS_USUAL} ORDER BY r.watch_id, r.started_at DESC`);
  const runs = Map.groupBy(rows, ({ watch }) => watch);
  return (watch) => {
    const own = (runs.get(watch) ?? []).slice(0, LAST_RUNS);
    return {
      runs: own.length,
      new: computeMedian(own.map(({ new_urls }) => new_urls ?? 0)),
      changed: computeMedian(own.map(({ changed }) => changed ?? 0)),
    };
  };
}

const IS_USUAL = raw("end_state = 'finished' AND first_run = 0 AND complete = 1");

function computeMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return Math.round((low + high) / 2);
}
