import { eachText, raw, sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { MAX_COUNTED } from './account-figures.ts';
import { type RunLine, type RunListRow, toRunLine } from './totals.ts';

/** Runs that are read back. A watch that failed more often in a row counts as failing this often. */
export const MAX_RUNS = 50;

const IS_REAL = raw("(end_state IS NULL OR end_state NOT IN ('previewed', 'recovered'))");

/** The state of a watch, for monitoring. */
export interface WatchFigures {
  /** The last run that ended; null before the first. */
  readonly lastRun: { readonly run: RunId; readonly endedAt: number; readonly succeeded: boolean } | null;
  /** The last runs, newest first; those that are active are among them. */
  readonly runs: readonly RunLine[];
  /** When a run last read every sitemap and did its work; null when none of the last runs did. */
  readonly lastSuccessAt: number | null;
  /** Runs in a row that were incomplete or abandoned, up to now, and when the first of them began. */
  readonly failedRuns: number;
  readonly failingSince: number | null;
  /** When the watch first ran, as far as runs are read back. */
  readonly firstRunAt: number | null;
  /** A run that waits for a decision. */
  readonly heldRun: RunId | null;
  /** URLs that a cap or the balance kept back from the last run. */
  readonly keptBackUrls: number;
  readonly keptBackReason: string | null;
  readonly quarantinedUrls: number;
}

export interface RunFigures extends RunListRow, StoredReason {
  readonly watch: WatchId;
  readonly held_urls: number | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
}

/** The same for many watches, in two statements however many they are. A watch that never ran is among them. */
export async function listWatchFigures(
  { db }: Ledger,
  watches: readonly WatchId[],
): Promise<ReadonlyMap<WatchId, WatchFigures>> {
  const runs = Map.groupBy(await db.all(selectLastRuns(watches)), ({ watch }) => watch);
  const counts = new Map((await db.all(countQuarantined(watches))).map(({ watch, count }) => [watch, count]));
  return new Map(watches.map((watch) => [watch, summarizeRuns(runs.get(watch) ?? [], counts.get(watch) ?? 0)]));
}

/** Reads through indexes only: the last runs, and at most MAX_COUNTED URLs in quarantine. */
export async function getWatchFigures(ledger: Ledger, watch: WatchId): Promise<WatchFigures> {
  return (await listWatchFigures(ledger, [watch])).get(watch) ?? summarizeRuns([], 0);
}

/** Newest first. Uses runs_by_watch. A plan for review, or what `courier recover` took in, says nothing about the schedule. */
export const selectLastRuns = (watches: readonly WatchId[]) => sql<RunFigures>`
  SELECT w.name AS watch, r.name, r.started_at, r.ended_at, r.end_state, r.complete, r.held, r.decision, r.decided_by,
    r.decided_at, r.held_urls, r.held_reason_code AS reason_code, r.held_reason_params AS reason_params
  FROM (
    SELECT id, name, coalesce((
      SELECT started_at FROM runs WHERE watch_id = watches.id AND ${IS_REAL}
      ORDER BY started_at DESC LIMIT 1 OFFSET ${MAX_RUNS - 1}), 0) AS since
    FROM watches WHERE name IN (SELECT value FROM ${eachText(watches)} AS names)) AS w
  JOIN runs AS r ON r.watch_id = w.id AND r.started_at >= w.since
  WHERE ${IS_REAL}
  ORDER BY r.watch_id, r.started_at DESC, r.id DESC`;

/** Uses urls_quarantined. */
export const countQuarantined = (watches: readonly WatchId[]) => sql<{ watch: WatchId; count: number }>`
  SELECT w.name AS watch, (
    SELECT count(*) FROM (
      SELECT 1 AS one FROM urls WHERE watch_id = w.id AND quarantined LIMIT ${MAX_COUNTED}) AS quarantined) AS count
  FROM watches AS w WHERE w.name IN (SELECT value FROM ${eachText(watches)} AS names)`;

/** `runs`: newest first. */
function summarizeRuns(runs: readonly RunFigures[], quarantinedUrls: number): WatchFigures {
  const ended = runs.filter(({ ended_at }) => ended_at !== null);
  const [last] = ended;
  const success = ended.findIndex(hasSucceeded);
  const held = runs.find((run) => run.ended_at === null && run.held !== null && run.decision === null);
  // One that is held has read what those before it could not.
  const failed = held?.complete === 1 ? [] : success < 0 ? ended : ended.slice(0, success);
  return {
    lastRun: last === undefined ? null : { run: last.name, endedAt: last.ended_at ?? 0, succeeded: hasSucceeded(last) },
    runs: runs.map(toRunLine),
    lastSuccessAt: ended[success]?.ended_at ?? null,
    failedRuns: failed.length,
    failingSince: failed.at(-1)?.started_at ?? null,
    firstRunAt: runs.at(-1)?.started_at ?? null,
    heldRun: held?.name ?? null,
    keptBackUrls: last?.held_urls ?? 0,
    keptBackReason: last === undefined ? null : renderStoredReason(last),
    quarantinedUrls,
  };
}

/** Also one that was rejected: it finished as was decided. */
const hasSucceeded = ({ end_state, complete }: RunFigures): boolean => end_state === 'finished' && complete === 1;
