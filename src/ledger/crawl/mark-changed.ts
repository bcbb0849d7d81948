import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import { type Found, rowsBetween } from './found.ts';
import type { EntrySource } from './insert-found.ts';

const COLUMNS = { fp: 'bigint', lastmod: 'text', lastmod_at: 'bigint' } as const;

/**
 * Records lastmods that moved, and makes those URLs due. The page counts as changed when both texts are there and are
 * not the same moment: a sitemap that begins to write lastmods, or writes them another way, has changed no page.
 * A URL that waits in a batch is not due again (the batch will say it), nor is one in quarantine.
 * Answers how many of the URLs this run has found changed; the same when it is called again.
 */
export async function markChanged(
  tx: Queryable,
  place: EntrySource,
  moved: Found,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const { runId, watchId, adopt } = place;
  const rows = toRows(COLUMNS, [
    ...rowsBetween(moved, from, to, (key, { lastmod, lastmodAt }): Row => [key, lastmod, lastmodAt]),
  ]);
  const isChange = sql`urls.lastmod IS NOT NULL AND r.lastmod IS NOT NULL
      AND (urls.lastmod_at IS NULL OR r.lastmod_at IS NULL OR urls.lastmod_at <> r.lastmod_at)`;
  await tx.run(sql`
    UPDATE urls SET
      lastmod = r.lastmod, lastmod_at = r.lastmod_at,
      changed_run = CASE WHEN ${isChange} THEN ${runId} ELSE urls.changed_run END,
      guard_passed = CASE WHEN ${isChange} AND urls.due IS NULL THEN 0 ELSE urls.guard_passed END,
      due = CASE WHEN ${isChange} AND urls.due IS NULL AND urls.state NOT IN ('planned', 'quarantined')
          AND ${adopt ? 1 : 0} = 0 THEN 'changed' ELSE urls.due END
    FROM ${rows} AS r
    WHERE urls.fp = r.fp AND urls.watch_id = ${watchId} AND urls.lastmod IS DISTINCT FROM r.lastmod`);
  const row = await tx.get(sql<{ changed: number }>`
    SELECT count(*) AS changed FROM ${rows} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${watchId}
    ${dialectal(sql`AND`, sql`WHERE`)} u.changed_run = ${runId}`);
  return row?.changed ?? 0;
}
