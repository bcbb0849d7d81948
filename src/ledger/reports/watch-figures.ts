import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { MAX_COUNTED } from './account-figures.ts';
import type { RunListRow } from './totals.ts';

/** Runs that are read back. A watch that failed more often in a row counts as failing this often. */
const MAX_RUNS = 50;

/** The state of a watch, for monitoring. */
export interface WatchFigures {
  /** The last run that ended; null before the first. */
  readonly lastRun: { readonly run: RunId; readonly endedAt: number; readonly succeeded: boolean } | null;
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
  readonly held_urls: number | null;
}

/** Reads through indexes only: the last runs, and at most MAX_COUNTED URLs in quarantine. */
export async function getWatchFigures({ db }: Ledger, watch: WatchId): Promise<WatchFigures> {
  const row = await db.get(sql<{ id: number }>`SELECT id FROM watches WHERE name = ${watch}`);
  if (row === undefined) return summarizeRuns([], 0);
  const runs = await db.all(selectLastRuns(row.id));
  const { count } = await db.one(countQuarantined(row.id));
  return summarizeRuns(runs, count);
}

/** Uses runs_by_watch. A run that was only a plan for review says nothing about the schedule. */
export const selectLastRuns = (watchId: number) => sql<RunFigures>`
  SELECT name, started_at, ended_at, end_state, complete, held, decision, held_urls,
    held_reason_code AS reason_code, held_reason_params AS reason_params
  FROM runs
  WHERE watch_id = ${watchId} AND (end_state IS NULL OR end_state <> 'previewed')
  ORDER BY started_at DESC LIMIT ${MAX_RUNS}`;

/** Uses urls_quarantined. */
export const countQuarantined = (watchId: number) => sql<{ count: number }>`
  SELECT count(*) AS count FROM (
    SELECT 1 AS one FROM urls WHERE watch_id = ${watchId} AND quarantined LIMIT ${MAX_COUNTED}) AS quarantined`;

/** `runs`: newest first. */
function summarizeRuns(runs: readonly RunFigures[], quarantinedUrls: number): WatchFigures {
  const ended = runs.filter(({ ended_at }) => ended_at !== null);
  const [last] = ended;
  const success = ended.findIndex(hasSucceeded);
  const failed = success < 0 ? ended : ended.slice(0, success);
  const held = runs.find((run) => run.ended_at === null && run.held !== null && run.decision === null);
  return {
    lastRun: last === undefined ? null : { run: last.name, endedAt: last.ended_at ?? 0, succeeded: hasSucceeded(last) },
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

const hasSucceeded = ({ end_state, complete }: RunFigures): boolean => end_state === 'finished' && complete === 1;
