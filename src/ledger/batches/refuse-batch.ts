import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { splitBatch } from '../../submission/batches.ts';
import { worthBisecting } from '../../submission/bisect.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Quarantine, Split } from '../../submission/refusal.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { BatchRow } from './batch-row.ts';
import { insertBatch } from './insert-batch.ts';

export type RefusalRecorded =
  /** Its URLs go on in these batches, each with its own key. */
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
}

/**
 * Carries out a refusal that names bad URLs or asks for halves. Nothing was charged, so the URLs keep their generation;
 * the parts are batches with keys of their own and take the place of the refused one. A service that refuses
 * everything is not asked for ever: then the rest stops and a person is told.
 */
export async function refuseBatch(
  tx: Queryable,
  now: number,
  row: BatchRow,
  refusal: Split | Quarantine,
): Promise<RefusalRecorded> {
  const members = await tx.all(sql<Member>`
    SELECT u.id, u.url, m.generation FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${row.id} ORDER BY m.position`);
  const rejected = refusal.kind === 'quarantine' ? new Map(refusal.rejected.map((r) => [r.url, r.reason])) : null;
  if (rejected === null && refusal.kind === 'split' && refusal.why === 'invalid' && !(await worthGoingOn(tx, row))) {
    return stopFamily(tx, row, refusal.message);
  }
  const bad = members.filter(({ url }) => rejected?.has(url) === true);
  const good = members.filter(({ url }) => rejected?.has(url) !== true);
  if (rejected !== null && bad.length === 0) return stopFamily(tx, row, refusal.message);

  await tx.run(sql`
    UPDATE batches SET state = 'refused', reason = ${refusal.message}, in_doubt_since = NULL, needs_lookup = 0, if_absent = NULL,
      settled_at = ${now}
    WHERE id = ${row.id}`);
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
    const { id } = await insertBatch(tx, now, {
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
    await tx.run(sql`UPDATE urls SET state = 'quarantined', reason = ${reason}, due = NULL WHERE id = ${id}`);
    await tx.run(sql`
      UPDATE batch_urls SET result = 'refused', reason = ${reason} WHERE batch_id = ${row.id} AND url_id = ${id}`);
  }
  return { kind: 'refused', batch: row.id, children, quarantined: bad.length };
}

const computeShare = (row: BatchRow, urls: number): Micros | null =>
  row.expected_cost === null ? null : (((row.expected_cost / row.urls) * urls) as Micros);

/** How the parts of the first batch of this family fared until now. */
async function worthGoingOn(tx: Queryable, row: BatchRow): Promise<boolean> {
  const family = await tx.get(sql<{ urls: number; accepted: number; quarantined: number }>`
    WITH RECURSIVE up (id, parent_id) AS (
      SELECT id, parent_id FROM batches WHERE id = ${row.id}
      UNION ALL SELECT b.id, b.parent_id FROM batches AS b JOIN up ON b.id = up.parent_id),
    down (id) AS (
      SELECT id FROM up WHERE parent_id IS NULL
      UNION ALL SELECT b.id FROM batches AS b JOIN down ON b.parent_id = down.id)
    SELECT max(b.urls) AS urls,
      sum(CASE WHEN b.state = 'accepted' THEN b.urls ELSE 0 END) AS accepted,
      (SELECT count(*) FROM batch_urls AS m JOIN down ON down.id = m.batch_id WHERE m.result = 'refused') AS quarantined
    FROM batches AS b JOIN down ON down.id = b.id`);
  return worthBisecting(family!);
}

async function stopFamily(tx: Queryable, row: BatchRow, message: string): Promise<RefusalRecorded> {
  const reason =
    `the service refuses part after part of this batch without taking any (${message}). Nothing was charged; ` +
    'its URLs wait for a person, because the cause is likely not in them';
  await tx.run(
    sql`UPDATE batches SET state = 'needs_review', reason = ${reason}, in_doubt_since = NULL WHERE id = ${row.id}`,
  );
  return { kind: 'needs_review', batch: row.id, reason };
}
