import type { Queryable } from '../../database/database.ts';
import type { Dialectal } from '../../database/sql.ts';
import { sql } from '../../database/sql.ts';
import type { EntrySource } from './found.ts';

/** The columns that `rows` of `recordLastmods` must have. */
export const LASTMOD_COLUMNS = { fp: 'bigint', lastmod: 'text', lastmod_at: 'bigint' } as const;

/**
 * Records the lastmods that a sitemap gives URLs which the ledger knows, and makes changed pages due. A page counts as
 * changed when both texts exist and name different moments: a sitemap that begins to write lastmods, or writes them in
 * another format, has changed no page.
 *
 * `listing` says how the sitemap listed these URLs before. 'before': it did, and any other moment is a change. 'new': it
 * did not, so the page has moved here from another file, or stands in two files that disagree. Then only a later moment
 * counts as a change, because two files with different dates would otherwise make the page due with every rename of one.
 *
 * A changed page belongs to the sitemap that shows the change: a page in two files is counted once.
 * A page in a batch that was not sent is covered by that batch. Once an attempt is out the batch may have bought the old
 * content, so the page is due again and waits until the batch has its answer. Quarantined URLs stay in quarantine.
 */
export async function recordLastmods(
  tx: Queryable,
  { runId, watchId, sitemapId, adopt }: EntrySource,
  rows: Dialectal,
  listing: 'before' | 'new',
): Promise<void> {
  const isLater = sql`urls.lastmod IS NULL OR urls.lastmod_at IS NULL OR r.lastmod_at IS NULL
      OR r.lastmod_at > urls.lastmod_at OR urls.sitemap_id = ${sitemapId}`;
  const counts = listing === 'before' ? sql`1 = 1` : sql`r.lastmod IS NOT NULL AND (${isLater})`;
  const isKnown = listing === 'before' ? sql`1 = 1` : sql`urls.first_run <> ${runId}`;
  const isChange = sql`urls.lastmod IS NOT NULL AND r.lastmod IS NOT NULL AND ${isKnown}
      AND (urls.lastmod_at IS NULL OR r.lastmod_at IS NULL OR urls.lastmod_at <> r.lastmod_at)`;
  const isSent = sql`EXISTS (SELECT 1 FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
      WHERE m.url_id = urls.id AND m.generation = urls.generation AND b.state <> 'planned')`;
  await tx.run(sql`
    UPDATE urls SET
      lastmod = r.lastmod, lastmod_at = r.lastmod_at,
      sitemap_id = CASE WHEN ${isChange} THEN ${sitemapId} ELSE urls.sitemap_id END,
      changed_run = CASE WHEN ${isChange} THEN ${runId} ELSE urls.changed_run END,
      guard_passed = CASE WHEN ${isChange} AND urls.due IS NULL THEN 0 ELSE urls.guard_passed END,
      bought_lastmod = CASE WHEN urls.state = 'planned' AND NOT ${isSent} THEN r.lastmod
        WHEN urls.generation > 0 AND urls.lastmod IS NULL AND urls.bought_lastmod IS NULL THEN r.lastmod
        ELSE urls.bought_lastmod END,
      due = CASE WHEN NOT (${isChange}) OR urls.due IS NOT NULL OR urls.state = 'quarantined' OR ${adopt ? 1 : 0} = 1
          THEN urls.due
        WHEN urls.state = 'planned' AND NOT ${isSent} THEN NULL
        ELSE 'changed' END
    FROM ${rows} AS r
    WHERE urls.fp = r.fp AND urls.watch_id = ${watchId} AND urls.lastmod IS DISTINCT FROM r.lastmod AND ${counts}`);
}
