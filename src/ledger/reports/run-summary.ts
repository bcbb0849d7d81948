import { type Micros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { eachText, type Query, sql } from '../../database/sql.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { RunDiff } from '../crawl/diff-run.ts';
import { selectSavedTransfers } from '../crawl/sitemaps.ts';
import { type Charged, selectChargedOfRuns } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';

/** The counts of a run, as reports show them. */
export interface RunSummary extends Omit<RunDiff, 'firstRun'> {
  /** What 304s saved its crawl. */
  readonly saved: { readonly sitemaps: number; readonly bytes: number; readonly ms: number };
  /** Hosts and globs of the watch that matched no URL of the crawl. */
  readonly unmatchedRules: readonly string[];
  readonly planned: number;
  /** Null when no price was known. */
  readonly plannedCost: Micros | null;
  readonly held: number;
  readonly heldReason: string | null;
  readonly batches: number;
  /** URLs the service has taken. */
  readonly submitted: number;
  readonly completed: number;
  readonly failed: number;
  /** Planned or submitted, and without a result of their own. */
  readonly open: number;
  readonly quarantined: number;
  /** Their job ended and the service never said what became of them. They count as bought. */
  readonly withoutResult: number;
  /** The last batch that holds some of them. */
  readonly withoutResultBatch: BatchId | null;
  /** In batches that need review. */
  readonly needsReview: number;
  readonly charged: Micros;
  /** URLs whose charge nobody knows: they are bought and not in `charged`, which must not be shown as if it were all. */
  readonly unknownChargeUrls: number;
  /** Found at their last index-check. */
  readonly inIndex: number;
  /** Batches that have no answer of the service yet. */
  readonly unanswered: number;
}

/** What a run has planned, and how much of it has no answer yet. */
export type RunProgress = Pick<RunSummary, 'planned' | 'plannedCost' | 'batches' | 'unanswered'>;

/** For whoever asks again and again: reads the run and its batches, and none of their URLs. Uses batches_by_run. */
export async function getRunProgress({ db }: Ledger, run: RunId): Promise<RunProgress> {
  const { id, planned_urls, planned_cost } = await getRun(db, run);
  const { batches, unanswered } = await db.one(sql<Pick<BatchSums, 'batches' | 'unanswered'>>`
    SELECT count(*) AS batches,
      coalesce(sum(CASE WHEN state IN ('planned', 'sending') THEN 1 ELSE 0 END), 0) AS unanswered
    FROM batches WHERE run_id = ${id}`);
  return { planned: planned_urls ?? 0, plannedCost: planned_cost, batches, unanswered };
}

/** Throws when the ledger does not know the run. */
export async function getRunSummary(ledger: Ledger, run: RunId): Promise<RunSummary> {
  const { id } = await getRun(ledger.db, run);
  const summary = (await listRunSummaries(ledger, [run])).get(run);
  if (summary === undefined) throw new RangeError(`run ${id} has no row`);
  return summary;
}

/** The same for many runs, in five statements however many they are; those that the ledger does not know are left out. */
export async function listRunSummaries(
  { db }: Ledger,
  runs: readonly RunId[],
): Promise<ReadonlyMap<RunId, RunSummary>> {
  const rows = await db.all(sql<RunCountsRow>`
    SELECT id, name, found, new_urls, changed, known, gone, skipped, complete, planned_urls, planned_cost, held_urls,
      held_reason_code AS reason_code, held_reason_params AS reason_params, unmatched_rules
    FROM runs WHERE name IN (SELECT value FROM ${eachText(runs)} AS names)`);
  const ids = rows.map(({ id }) => id);
  const each = toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  );
  const batches = await readByRun(
    db,
    sql<BatchSums>`
    SELECT run_id, count(*) AS batches,
      coalesce(sum(CASE WHEN state = 'accepted' THEN urls ELSE 0 END), 0) AS submitted,
      coalesce(sum(CASE WHEN state = 'needs_review' THEN urls ELSE 0 END), 0) AS "needsReview",
      coalesce(sum(CASE WHEN state IN ('planned', 'sending') THEN 1 ELSE 0 END), 0) AS unanswered,
      coalesce(sum(CASE WHEN state IN ('planned', 'sending', 'accepted') THEN urls - completed - failed ELSE 0 END), 0)
        AS open,
      coalesce(sum(completed), 0) AS completed, coalesce(sum(failed), 0) AS failed
    FROM batches WHERE run_id IN (SELECT id FROM ${each} AS r) GROUP BY run_id`,
  );
  const urls = await readByRun(
    db,
    batches.size === 0
      ? null
      : sql<UrlSums>`
    SELECT b.run_id, coalesce(sum(CASE WHEN u.state = 'quarantined' THEN 1 ELSE 0 END), 0) AS quarantined,
      coalesce(sum(CASE WHEN u.reason_code = 'no_result' AND u.state = 'known' THEN 1 ELSE 0 END), 0) AS "withoutResult",
      max(CASE WHEN u.reason_code = 'no_result' AND u.state = 'known' THEN b.id ELSE NULL END) AS "withoutResultBatch",
      coalesce(sum(CASE WHEN q.found_at IS NOT NULL THEN 1 ELSE 0 END), 0) AS "inIndex"
    FROM batches AS b JOIN batch_urls AS m ON m.batch_id = b.id JOIN urls AS u ON u.id = m.url_id
    LEFT JOIN check_queue AS q ON q.url_id = u.id
    WHERE b.run_id IN (SELECT id FROM ${each} AS r) GROUP BY b.run_id`,
  );
  const charged = await readByRun(db, selectChargedOfRuns(ids));
  const saved = await readByRun(db, selectSavedTransfers(ids));
  return new Map(
    rows.map((row) => [
      row.name,
      toSummary(row, {
        batches: batches.get(row.id),
        urls: urls.get(row.id),
        charged: charged.get(row.id),
        saved: saved.get(row.id),
      }),
    ]),
  );
}

async function readByRun<T extends { readonly run_id: number }>(
  db: Queryable,
  query: Query<T> | null,
): Promise<ReadonlyMap<number, T>> {
  if (query === null) return new Map();
  return new Map((await db.all(query)).map((row) => [row.run_id, row]));
}

interface SummaryParts {
  readonly batches: BatchSums | undefined;
  readonly urls: UrlSums | undefined;
  readonly charged: Charged | undefined;
  readonly saved: RunSummary['saved'] | undefined;
}

function toSummary(row: RunCountsRow, { batches, urls, charged, saved }: SummaryParts): RunSummary {
  return {
    found: row.found ?? 0,
    new: row.new_urls ?? 0,
    changed: row.changed ?? 0,
    known: row.known ?? 0,
    gone: row.gone ?? 0,
    skipped: row.skipped ?? 0,
    complete: row.complete === 1,
    saved: { sitemaps: saved?.sitemaps ?? 0, bytes: saved?.bytes ?? 0, ms: saved?.ms ?? 0 },
    unmatchedRules: row.unmatched_rules === null ? [] : (JSON.parse(row.unmatched_rules) as string[]),
    planned: row.planned_urls ?? 0,
    plannedCost: row.planned_cost,
    held: row.held_urls ?? 0,
    heldReason: renderStoredReason(row),
    ...withoutRun(batches ?? NO_BATCHES),
    ...withoutRun(urls ?? NO_URLS),
    charged: charged?.amount ?? ZERO,
    unknownChargeUrls: charged?.unpriced ?? 0,
  };
}

const withoutRun = <T extends { readonly run_id: number }>({ run_id: _, ...sums }: T): Omit<T, 'run_id'> => sums;

interface RunCountsRow extends StoredReason {
  readonly id: number;
  readonly name: RunId;
  readonly found: number | null;
  readonly new_urls: number | null;
  readonly changed: number | null;
  readonly known: number | null;
  readonly gone: number | null;
  readonly skipped: number | null;
  readonly complete: number | null;
  readonly planned_urls: number | null;
  readonly planned_cost: Micros | null;
  readonly held_urls: number | null;
  readonly unmatched_rules: string | null;
}

type UrlSums = Pick<RunSummary, 'quarantined' | 'withoutResult' | 'withoutResultBatch' | 'inIndex'> & OfRun;
type BatchSums = OfRun &
  Pick<RunSummary, 'batches' | 'submitted' | 'needsReview' | 'open' | 'unanswered' | 'completed' | 'failed'>;

interface OfRun {
  readonly run_id: number;
}

const NO_URLS: UrlSums = { run_id: 0, quarantined: 0, withoutResult: 0, withoutResultBatch: null, inIndex: 0 };
const NO_BATCHES: BatchSums = {
  ...{ run_id: 0, batches: 0, submitted: 0, needsReview: 0, open: 0, unanswered: 0, completed: 0, failed: 0 },
};

/** Skipped URLs of a run by reason, with a few examples of each. */
export async function listSkippedByReason(
  ledger: Ledger,
  run: RunId,
): Promise<{ readonly reason: string; readonly urls: number; readonly sample: readonly string[] }[]> {
  const { id } = await getRun(ledger.db, run);
  const rows = await ledger.db.all(sql<{ reason: string; urls: number; sample: string }>`
    SELECT reason, sum(urls) AS urls, min(sample) AS sample FROM run_skips WHERE run_id = ${id}
    GROUP BY reason ORDER BY reason`);
  return rows.map(({ reason, urls, sample }) => ({ reason, urls, sample: JSON.parse(sample) as string[] }));
}
