import type { Micros } from '../../../contract/money.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../../submission/ids.ts';
import { parseReason, type Reason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import { findWatch } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { MAX_COUNTED } from './account-figures.ts';

/** What a batch waits for. */
export type Waiting = 'to_be_sent' | 'in_doubt' | 'needs_review' | 'open_job';

export interface WaitingBatch {
  readonly kind: Waiting;
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly reference: Reference | null;
  readonly urls: number;
  readonly expectedCost: Micros | null;
  readonly since: number;
  readonly reason: Reason | null;
}

type WaitingRow = Omit<WaitingBatch, 'kind' | 'reason'> & StoredReason;

const COLUMNS = (since: Query) => sql`
  b.id AS batch, w.name AS watch, b.reference, b.urls, b.expected_cost AS "expectedCost", ${since} AS since, b.reason_code, b.reason_params
  FROM batches AS b JOIN watches AS w ON w.id = b.watch_id`;

/** Oldest first, each by the index of its state: batches_waiting, _in_doubt, _in_review and _followed. */
export const selectWaitingBatches = (kind: Waiting, account: AccountId, limit: number): Query<WaitingRow> => {
  switch (kind) {
    case 'to_be_sent':
      return sql<WaitingRow>`SELECT ${COLUMNS(sql`b.planned_at`)}
        WHERE b.account_id = ${account} AND b.state IN ('planned', 'sending') AND b.in_doubt_since IS NULL
        ORDER BY b.id LIMIT ${limit}`;
    case 'in_doubt':
      return sql<WaitingRow>`SELECT ${COLUMNS(sql`b.in_doubt_since`)}
        WHERE b.account_id = ${account} AND b.in_doubt_since IS NOT NULL ORDER BY b.in_doubt_since LIMIT ${limit}`;
    case 'needs_review':
      return sql<WaitingRow>`SELECT ${COLUMNS(sql`b.planned_at`)}
        WHERE b.account_id = ${account} AND b.state = 'needs_review' AND b.in_doubt_since IS NULL
        ORDER BY b.id LIMIT ${limit}`;
    case 'open_job':
      return sql<WaitingRow>`SELECT ${COLUMNS(sql`b.accepted_at`)}
        WHERE b.account_id = ${account} AND b.state = 'accepted' AND b.settled_at IS NULL
        ORDER BY b.accepted_at LIMIT ${limit}`;
  }
};

/** The batches that wait longest. */
export async function listWaitingBatches(
  ledger: Ledger,
  kind: Waiting,
  account: AccountId,
  limit: number,
): Promise<WaitingBatch[]> {
  const rows = await ledger.db.all(selectWaitingBatches(kind, account, limit));
  return rows.map(({ reason_code, reason_params, ...row }) => ({
    ...row,
    kind,
    reason: parseReason({ reason_code, reason_params }),
  }));
}

/** URLs that are to be bought, and not planned yet. */
export interface DueUrls {
  /** At most MAX_COUNTED. */
  readonly urls: number;
  /** When the run began that found the oldest of them; null without any. */
  readonly oldest: number | null;
  readonly oldestUrl: Url | null;
}

/** Uses urls_due and the primary key of runs. */
export const selectDueUrls = (watchId: number) => sql<{ since: number; url: Url }>`
  SELECT r.started_at AS since, oldest.url FROM (
    SELECT url, first_run, changed_run FROM urls
    WHERE watch_id = ${watchId} AND due IS NOT NULL AND gone_run IS NULL LIMIT ${MAX_COUNTED}) AS oldest
  JOIN runs AS r ON r.id = coalesce(oldest.changed_run, oldest.first_run)`;

export async function getDueUrls(ledger: Ledger, watch: WatchId): Promise<DueUrls> {
  const id = await findWatch(ledger.db, watch);
  if (id === null) return { urls: 0, oldest: null, oldestUrl: null };
  const rows = await ledger.db.all(selectDueUrls(id));
  const oldest = rows.reduce<(typeof rows)[number] | null>(
    (first, row) => (first === null || row.since < first.since ? row : first),
    null,
  );
  return { urls: rows.length, oldest: oldest?.since ?? null, oldestUrl: oldest?.url ?? null };
}

/** URLs in quarantine for one reason, with an example. */
export interface QuarantinedUrls {
  readonly reason: Reason;
  readonly urls: number;
  readonly example: Url;
}

/** Uses urls_quarantined. */
export const selectQuarantineReasons = (watchId: number, limit: number) => sql<
  StoredReason & { reason_code: string; urls: number; example: Url }
>`
  SELECT reason_code, reason_params, count(*) AS urls, min(url) AS example FROM (
    SELECT reason_code, reason_params, url FROM urls WHERE watch_id = ${watchId} AND quarantined
    ORDER BY id LIMIT ${MAX_COUNTED}) AS quarantined
  GROUP BY reason_code, reason_params ORDER BY count(*) DESC, min(url) LIMIT ${limit}`;

/** The most frequent reasons first. */
export async function listQuarantineReasons(ledger: Ledger, watch: WatchId, limit: number): Promise<QuarantinedUrls[]> {
  const id = await findWatch(ledger.db, watch);
  if (id === null) return [];
  const rows = await ledger.db.all(selectQuarantineReasons(id, limit));
  return rows.map((row) => ({ reason: parseReason(row), urls: row.urls, example: row.example }));
}
