import { type Micros, splitMicros, timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import { type Reason, renderReason } from '../../submission/reason.ts';
import type { Quarantine, Split } from '../../submission/refusal.ts';
import { type Bisection, splitBatch, worthBisecting } from '../../submission/split.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { DueReason } from '../pages/due.ts';
import { assignReason } from '../reason-columns.ts';
import type { BatchRow } from './batch-queries.ts';
import { selectFamily, selectRoot } from './family.ts';
import { insertBatch } from './insert-batch.ts';
import { refuse, requireReview } from './transitions.ts';

export type RefusalRecorded =
  /** The batches that replace it, each with its own key. */
  | {
      readonly kind: 'refused';
      readonly batch: BatchId;
      readonly children: readonly BatchId[];
      readonly quarantined: number;
    }
  | { readonly kind: 'needs_review'; readonly batch: BatchId; readonly reason: string };

interface Member {
  readonly id: number;
  readonly url: Url;
  readonly generation: number;
  readonly due: DueReason | null;
}

/**
 * Carries out a refusal that names bad URLs or requires a split. Nothing was charged, so the URLs keep their generation;
 * the parts are new batches with their own keys and replace the refused one. When a service rejects everything,
 * bisection stops and the batch waits for review.
 */
export async function refuseBatch(
  tx: Queryable,
  now: number,
  row: BatchRow,
  refusal: Split | Quarantine,
): Promise<RefusalRecorded> {
  const members = await tx.all(sql<Member>`
    SELECT u.id, u.url, m.generation, m.due FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${row.id} ORDER BY m.position`);
  const rejected = refusal.kind === 'quarantine' ? new Map(refusal.rejected.map((r) => [r.url, r.reason])) : null;
  if (rejected === null && refusal.kind === 'split' && !(await worthGoingOn(tx, row))) {
    return stopFamily(tx, now, row, refusal.message);
  }
  const bad = members.filter(({ url }) => rejected?.has(url) === true);
  const good = members.filter(({ url }) => rejected?.has(url) !== true);
  if (rejected !== null && bad.length === 0) return stopFamily(tx, now, row, refusal.message);

  await refuse(tx, row, now, { code: 'answer', outcome: refusal.kind, text: refusal.message });
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  const children: BatchId[] = [];
  const parts = rejected === null ? splitBatch(good) : good.length === 0 ? [] : [good];
  if (parts.length > 0) {
    const moving = parts.flat().map(({ id }) => [id]);
    await tx.run(sql`
      DELETE FROM batch_urls WHERE batch_id = ${row.id}
        AND url_id IN (SELECT id FROM ${toRows({ id: 'bigint' }, moving)} AS r)`);
  }
  for (const part of parts) {
    // The parts keep the batch's time of planning: a restored copy may have sent them too, so they are looked up first.
    const { id } = await insertBatch(tx, now, {
      plannedAt: row.planned_at,
      account: row.account_id,
      baseUrl: row.base_url,
      watch: row.watch,
      watchId: row.watch_id,
      runId: row.run_id,
      parentId: row.id,
      service: row.service,
      project: row.normalized_project,
      urls: part,
      expectedCost: computeShare(row, part.length),
      basis: row.price_basis,
    });
    children.push(id);
  }
  for (const { id, url } of bad) {
    const reason = rejected?.get(url) ?? refusal.message;
    await tx.run(sql`
      UPDATE urls SET state = 'quarantined', due = NULL, ${assignReason({ code: 'reported', text: reason })}
      WHERE id = ${id}`);
    await tx.run(sql`
      UPDATE batch_urls SET result = 'refused', reason = ${reason} WHERE batch_id = ${row.id} AND url_id = ${id}`);
  }
  return { kind: 'refused', batch: row.id, children, quarantined: bad.length };
}

const computeShare = (row: BatchRow, urls: number): Micros | null =>
  row.expected_cost === null ? null : timesMicros(splitMicros(row.expected_cost, row.urls), urls);

/** Computes the bisection progress of the original batch. */
async function worthGoingOn(tx: Queryable, row: BatchRow): Promise<boolean> {
  const all = selectFamily(selectRoot(row.id));
  const family = await tx.one(sql<Omit<Bisection, 'inReview'> & { in_review: number }>`
    SELECT max(urls) AS urls, sum(CASE WHEN state = 'accepted' THEN urls ELSE 0 END) AS accepted,
      (SELECT count(*) FROM batch_urls WHERE batch_id IN (${all}) AND result = 'refused') AS quarantined,
      sum(CASE WHEN state = 'needs_review' THEN urls ELSE 0 END) AS in_review
    FROM batches WHERE id IN (${all})`);
  return worthBisecting({ ...family, inReview: family.in_review });
}

async function stopFamily(tx: Queryable, now: number, row: BatchRow, text: string): Promise<RefusalRecorded> {
  const reason: Reason = { code: 'parts_rejected', text };
  await requireReview(tx, row, now, reason, { doubt: 'none' });
  return { kind: 'needs_review', batch: row.id, reason: renderReason(reason) };
}
