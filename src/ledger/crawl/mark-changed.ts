import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import { asKey } from '../pages/fingerprint.ts';
import type { FingerprintList } from '../pages/fingerprint-list.ts';
import type { EntrySource } from './found.ts';
import { recordVersions, VERSION_COLUMNS } from './record-versions.ts';

/**
 * Records versions that differ from those of the last visit. Returns how many of these URLs this run has found changed; the
 * same when it is called again.
 */
export async function markChanged(
  tx: Queryable,
  source: EntrySource,
  moved: FingerprintList,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const places = Array.from({ length: Math.min(to, moved.length) - from }, (_, at) => from + at);
  const rows = toRows(
    VERSION_COLUMNS,
    places.map((at): Row => [asKey(moved.high(at), moved.low(at)), moved.version(at) || null]),
  );
  await recordVersions(tx, source, rows);
  const { changed } = await tx.one(sql<{ changed: number }>`
    SELECT count(*) AS changed FROM ${rows} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${source.watchId}
    ${dialectal(sql`AND`, sql`WHERE`)} u.changed_run = ${source.runId} AND u.sitemap_id = ${source.sitemapId}`);
  return changed;
}
