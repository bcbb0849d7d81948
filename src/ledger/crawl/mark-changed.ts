import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import type { EntrySource } from './found.ts';
import { type Found, rowsBetween } from './found.ts';
import { LASTMOD_COLUMNS, recordLastmods } from './record-lastmods.ts';

/**
 * Records lastmods that differ from those of the last complete visit. Returns how many of these URLs this run has found
 * changed; the same when it is called again.
 */
export async function markChanged(
  tx: Queryable,
  source: EntrySource,
  moved: Found,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const rows = toRows(LASTMOD_COLUMNS, [
    ...rowsBetween(moved, from, to, (key, { lastmod, lastmodAt }): Row => [key, lastmod, lastmodAt]),
  ]);
  await recordLastmods(tx, source, rows, 'before');
  const { changed } = await tx.one(sql<{ changed: number }>`
    SELECT count(*) AS changed FROM ${rows} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${source.watchId}
    ${dialectal(sql`AND`, sql`WHERE`)} u.changed_run = ${source.runId} AND u.sitemap_id = ${source.sitemapId}`);
  return changed;
}
