import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import type { Url } from '../../url/normalize-url.ts';
import { type Found, rowsBetween } from './found.ts';

/** Where entries were found. */
export interface EntrySource {
  readonly runId: number;
  readonly watchId: number;
  readonly sitemapId: number;
  /** First run with `baseline`: what is found is adopted, not due. */
  readonly adopt: boolean;
}

export interface FoundCounts {
  /** URLs that this run found in this sitemap for the first time ever; the same when it is called again. */
  readonly new: number;
  /** Other URLs whose fingerprint is that of a known one. They are never bought in its name: they are skipped. */
  readonly collided: readonly Url[];
}

const COLUMNS = {
  fp: 'bigint',
  watch_id: 'bigint',
  sitemap_id: 'bigint',
  url: 'text',
  lastmod: 'text',
  lastmod_at: 'bigint',
  first_run: 'bigint',
  state: 'text',
  reason: 'text',
  due: 'text',
} as const;

/**
 * Adds URLs that the sitemap did not list at its last complete visit. One that is in the ledger already (from another
 * sitemap, from an incomplete visit, or because it went and came back) keeps its row: its generations stay bought.
 */
export async function insertFound(
  tx: Queryable,
  place: EntrySource,
  found: Found,
  { from, to }: { from: number; to: number },
): Promise<FoundCounts> {
  const { runId, watchId, sitemapId, adopt } = place;
  const reason = adopt ? 'baseline' : null;
  const due = adopt ? null : 'new';
  const rows = [
    ...rowsBetween(found, from, to, (key, { url, lastmod, lastmodAt }): Row => {
      return [key, watchId, sitemapId, url, lastmod, lastmodAt, runId, 'known', reason, due];
    }),
  ];
  const inserted = await insertRows(tx, 'urls', COLUMNS, rows, 'ON CONFLICT (fp, watch_id) DO NOTHING');
  await addLive(tx, watchId, inserted);
  if (inserted === rows.length) return { new: inserted, collided: [] };

  const asked = toRows(
    { fp: 'bigint', lastmod: 'text', lastmod_at: 'bigint' },
    rows.map((row): Row => [row[0]!, row[4]!, row[5]!]),
  );
  await tx.run(sql`
    UPDATE urls SET lastmod = r.lastmod, lastmod_at = r.lastmod_at, bought_lastmod = r.lastmod FROM ${asked} AS r
    WHERE urls.fp = r.fp AND urls.watch_id = ${watchId} AND urls.lastmod IS NULL AND urls.bought_lastmod IS NULL
      AND urls.gone_run IS NOT NULL AND r.lastmod IS NOT NULL`);
  const { changes } = await tx.run(sql`
    UPDATE urls SET gone_run = NULL
    WHERE watch_id = ${watchId} AND gone_run IS NOT NULL AND fp IN (SELECT fp FROM ${asked} AS r)`);
  await addLive(tx, watchId, changes);
  const there = await tx.all(sql<{ nr: number; url: Url; mine: number }>`
    SELECT r.nr, u.url, CASE WHEN u.first_run = ${runId} AND u.sitemap_id = ${sitemapId} THEN 1 ELSE 0 END AS mine
    FROM ${asked} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${watchId}`);
  let mine = 0;
  const collided: Url[] = [];
  for (const row of there) {
    const { url } = found.entry(from + row.nr);
    if (row.url !== url) collided.push(url);
    else mine += row.mine;
  }
  return { new: mine, collided };
}

/** Counts the URLs of a watch that are not gone, so that no report has to. */
export async function addLive(tx: Queryable, watchId: number, urls: number): Promise<void> {
  if (urls !== 0) await tx.run(sql`UPDATE watches SET live = live + ${urls} WHERE id = ${watchId}`);
}
