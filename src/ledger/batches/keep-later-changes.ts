import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import { getStartSql } from '../version-sql.ts';
import type { BatchRow } from './batch-queries.ts';

/** The condition on `urls` that a job of that time is older than the version of the page, and so bought an earlier one. */
export const hasChangedSinceJob = (createdAt: number): Query =>
  sql`(coalesce(${getStartSql('urls.version')}, 0) > ${createdAt}
    AND ${createdAt} < (SELECT started_at FROM runs WHERE runs.id = coalesce(urls.changed_run, urls.first_run)))`;

/** The same for the job of a batch that this ledger never sent; one that it sent bought what was planned. */
export const hasChangedSince = ({ attempts }: BatchRow, createdAt: number | null): Query =>
  createdAt === null || attempts > 0 ? sql`1 = 0` : hasChangedSinceJob(createdAt);

/**
 * A batch that this ledger never sent, and that is a job all the same, was sent by the ledger that an older copy has replaced:
 * the same URLs of the same generation have the same key. The job counts as the purchase of every version up to its creation,
 * as one that `courier recover` takes in does. A page whose version is later, and was first seen later, has changed since: it is
 * due, and its next generation has another key. An unknown version counts as bought.
 */
export async function keepLaterChanges(tx: Queryable, row: BatchRow, createdAt: number | null): Promise<void> {
  if (createdAt === null || row.attempts > 0) return;
  const hasChanged = hasChangedSince(row, createdAt);
  await tx.run(sql`
    UPDATE urls SET
      versions_bought_until = CASE WHEN versions_bought_until > ${createdAt} THEN versions_bought_until
        ELSE ${createdAt} END,
      due = CASE WHEN ${hasChanged} THEN 'changed' ELSE due END
    WHERE id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${row.id}) AND state = 'submitted'`);
}
