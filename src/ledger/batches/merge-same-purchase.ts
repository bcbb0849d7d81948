import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { assignReason } from '../reason-columns.ts';
import { toLatestSql } from '../version-sql.ts';
import { type BatchRow, getBatch } from './batch-queries.ts';
import { refuse, resolveReview } from './transitions.ts';

/**
 * The service calls this batch by the reference of another one. When both have exactly the same URLs it is one purchase
 * with one charge, which the other batch records: one of the two was planned in a restored copy of the ledger. This one
 * ends, and its URLs share the end of the other's. Returns false, and changes nothing, when the URLs differ.
 */
export async function mergeSamePurchase(tx: Queryable, now: number, row: BatchRow, other: BatchId): Promise<boolean> {
  if (row.state !== 'planned' && row.state !== 'sending' && row.state !== 'needs_review') return false;
  const kept = await getBatch(tx, other);
  if (kept.state !== 'accepted' || !(await haveSameUrls(tx, row, kept))) return false;
  const reason: Reason = { code: 'same_purchase', batch: other };
  await (row.state === 'needs_review' ? resolveReview(tx, row, now, reason) : refuse(tx, row, now, reason));
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  // A URL whose result the other batch still awaits, under this watch, gets it from there.
  const awaits = kept.settled_at === null && kept.watch_id === row.watch_id;
  await tx.run(sql`
    UPDATE urls SET due = NULL, due_at = NULL, 
      bought_at = CASE WHEN urls.bought_at > ${kept.accepted_at} THEN urls.bought_at ELSE ${kept.accepted_at} END,
      bought_version = ${toLatestSql('urls.bought_version', 'urls.planned_version')}, planned_version = NULL,
      state = CASE WHEN ${awaits ? 1 : 0} = 1 THEN 'submitted' WHEN m.result = 'completed' THEN 'completed' ELSE 'known' END,
      ${assignReason(reason)}
    FROM batch_urls AS mine JOIN urls AS u ON u.id = mine.url_id
    JOIN urls AS o ON o.fp = u.fp AND o.url = u.url
    JOIN batch_urls AS m ON m.url_id = o.id AND m.batch_id = ${other}
    WHERE mine.batch_id = ${row.id} AND urls.id = mine.url_id AND urls.state = 'planned'`);
  return true;
}

/** Compares by URL: the two may belong to different watches. Uses urls_by_fp and batch_urls_once. */
async function haveSameUrls(tx: Queryable, row: BatchRow, kept: BatchRow): Promise<boolean> {
  if (row.urls !== kept.urls) return false;
  const { shared } = await tx.one(sql<{ shared: number }>`
    SELECT count(DISTINCT mine.url_id) AS shared
    FROM batch_urls AS mine JOIN urls AS u ON u.id = mine.url_id
    JOIN urls AS o ON o.fp = u.fp AND o.url = u.url
    JOIN batch_urls AS m ON m.url_id = o.id AND m.batch_id = ${kept.id}
    WHERE mine.batch_id = ${row.id}`);
  return shared === row.urls;
}
