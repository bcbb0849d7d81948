import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchRow } from './batch-queries.ts';

/**
 * A batch that this ledger never sent, and that is a job all the same, was sent by the ledger that an older copy has replaced:
 * the same URLs of the same generation have the same key. The job counts as the purchase of every lastmod up to its creation,
 * as one that `courier recover` takes in does. A page whose lastmod is later, and was first seen later, has changed since: it is
 * due, and its next generation has another key. A lastmod that names no time counts as bought.
 */
export async function keepLaterChanges(tx: Queryable, row: BatchRow, createdAt: number | null): Promise<void> {
  if (createdAt === null || row.attempts > 0) return;
  const hasChanged = sql`(coalesce(urls.lastmod_at, 0) > ${createdAt}
    AND ${createdAt} < (SELECT started_at FROM runs WHERE runs.id = coalesce(urls.changed_run, urls.first_run)))`;
  await tx.run(sql`
    UPDATE urls SET
      lastmods_bought_until = CASE WHEN lastmods_bought_until > ${createdAt} THEN lastmods_bought_until
        ELSE ${createdAt} END,
      due = CASE WHEN ${hasChanged} THEN 'changed' ELSE due END,
      bought_lastmod = CASE WHEN ${hasChanged} THEN NULL ELSE bought_lastmod END
    WHERE id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${row.id}) AND state = 'submitted'`);
}
