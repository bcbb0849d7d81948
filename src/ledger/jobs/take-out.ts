import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { getBatch } from '../batches/batch-queries.ts';
import { dissolveBatch } from '../batches/cancel-batch.ts';
import { requireReview } from '../batches/transitions.ts';
import { getStartSql } from '../version-sql.ts';

/** Tolerance for clock skew and for services that write local time as if it were UTC. */
const CLOCK_SKEW_MS = 24 * 3_600_000;

interface Overlap {
  readonly batch: BatchId;
  readonly shared: number;
  readonly urls: number;
  readonly planned_at: number;
  readonly attempts: number;
  /** 1: one of the shared URLs was planned as never bought before. */
  readonly is_first: number;
  /** How many of them are planned for a change that the job has bought already. */
  readonly bought: number;
}

/** Batches without an answer, of any watch, that hold some of these URLs. Uses urls_by_fp and batch_urls_once. */
export const selectOverlaps = (
  account: AccountId,
  ids: readonly number[],
  createdAt: number,
): Query<Overlap> => sql<Overlap>`
  SELECT b.id AS batch, count(*) AS shared, b.urls, b.planned_at, b.attempts,
    max(CASE WHEN m.generation = 1 OR m.due = 'new' THEN 1 ELSE 0 END) AS is_first,
    sum(CASE WHEN m.due = 'changed' AND ${getStartSql('u.version')} <= ${createdAt} AND (u.bought_at IS NULL OR u.bought_at <= ${createdAt})
      THEN 1 ELSE 0 END) AS bought
  FROM ${toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  )} AS r CROSS JOIN urls AS own CROSS JOIN urls AS u CROSS JOIN batch_urls AS m CROSS JOIN batches AS b
  WHERE own.id = r.id AND u.fp = own.fp AND u.url = own.url AND m.url_id = u.id AND b.id = m.batch_id AND b.account_id = ${account} AND b.reference IS NULL
    AND b.state IN ('planned', 'sending', 'needs_review')
  GROUP BY b.id, b.urls, b.planned_at, b.attempts ORDER BY b.id`;

/**
 * Finds the open batch with exactly these URLs that was planned before the job was created: the same purchase, in a list
 * without projects or sent by a later copy of the ledger. Null without one.
 */
export async function findSameBatch(
  tx: Queryable,
  account: AccountId,
  ids: readonly number[],
  createdAt: number,
): Promise<BatchId | null> {
  const overlaps = await tx.all(selectOverlaps(account, ids, createdAt));
  const same = overlaps.find(({ shared, urls, planned_at }) => {
    return shared === ids.length && urls === ids.length && createdAt >= planned_at - CLOCK_SKEW_MS;
  });
  return same?.batch ?? null;
}

/**
 * Takes back the batches that would buy some of these URLs again. URLs of a batch that was never sent are due again,
 * except those that the job bought. A batch that was sent before must not be sent again unchanged: it waits for review.
 */
export async function takeOutOfBatches(
  tx: Queryable,
  now: number,
  account: AccountId,
  ids: readonly number[],
  { reference, createdAt }: { readonly reference: Reference; readonly createdAt: number },
): Promise<void> {
  for (const { batch, attempts, planned_at, is_first, bought } of await tx.all(
    selectOverlaps(account, ids, createdAt),
  )) {
    const later = createdAt >= planned_at - CLOCK_SKEW_MS;
    // An older purchase does not affect a plan for a page that changed since.
    if (!later && (attempts > 0 || (is_first === 0 && bought === 0))) continue;
    const row = await getBatch(tx, batch);
    const reason: Reason = { code: 'bought_in_job', reference };
    if (row.state === 'planned' && row.in_doubt_since === null) await dissolveBatch(tx, row, now, reason);
    else if (row.state !== 'needs_review') await requireReview(tx, row, now, reason, { doubt: 'stays' });
  }
}
