import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';
import { toLatestSql } from '../version-sql.ts';
import type { BatchRow } from './batch-queries.ts';
import { dissolveBatch } from './cancel-batch.ts';
import { selectFamily } from './family.ts';

/** The batches that were never sent, are no part of this one, and hold some of its pages. Uses batch_urls_once. */
const selectHolders = (id: BatchId): Query<Pick<BatchRow, 'id' | 'in_doubt_since'>> => sql`
  SELECT DISTINCT b.id, b.in_doubt_since
  FROM batch_urls AS mine CROSS JOIN batch_urls AS m CROSS JOIN batches AS b
  WHERE mine.batch_id IN (${selectFamily(id)}) AND m.url_id = mine.url_id AND b.id = m.batch_id
    AND b.state = 'planned' AND b.in_doubt_since IS NULL AND b.id NOT IN (${selectFamily(id)})
  ORDER BY b.id`;

/**
 * A batch that was refused or taken back turned out to be accepted: it has bought its pages, and those of its parts, as they
 * were when it was planned. Nothing else is sent that holds them: a batch that was never sent is taken back. Pages that have
 * not changed since, and that no later job has, are not due: an operator decides on those of this batch.
 */
export async function takeBackPages(tx: Queryable, row: BatchRow, now: number, reference: Reference): Promise<void> {
  for (const holder of await tx.all(selectHolders(row.id))) {
    await dissolveBatch(tx, holder, now, { code: 'bought_in_job', reference });
  }
  const changedSince = sql`(coalesce((
    SELECT started_at FROM runs WHERE runs.id = coalesce(urls.changed_run, urls.first_run)), 0) > ${row.planned_at})`;
  await tx.run(sql`
    UPDATE urls SET bought_at = ${now},
      bought_version = CASE WHEN ${changedSince} THEN bought_version
        ELSE ${toLatestSql('bought_version', 'coalesce(planned_version, version)')} END
    WHERE id IN (SELECT url_id FROM batch_urls WHERE batch_id IN (${selectFamily(row.id)}))`);
  await tx.run(sql`
    UPDATE urls SET reason_code = NULL, reason_params = NULL, due = NULL, due_at = NULL,
      state = CASE WHEN m.batch_id = ${row.id} THEN 'planned' ELSE 'known' END,
      planned_version = CASE WHEN m.batch_id = ${row.id} THEN version END
    FROM batch_urls AS m
    WHERE m.batch_id IN (${selectFamily(row.id)}) AND urls.id = m.url_id AND urls.due IS NOT NULL AND urls.state <> 'planned' AND NOT ${changedSince}
      AND NOT EXISTS (
        SELECT 1 FROM batch_urls AS x JOIN batches AS b ON b.id = x.batch_id
        WHERE x.url_id = m.url_id AND x.generation > m.generation AND b.reference IS NOT NULL)`);
}
