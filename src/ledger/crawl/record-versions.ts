import type { Queryable } from '../../database/database.ts';
import type { Dialectal } from '../../database/sql.ts';
import { sql } from '../../database/sql.ts';
import { getSpanSql, isLaterSql, toLatestSql } from '../version-sql.ts';
import type { EntrySource } from './found.ts';

/** The columns that `rows` of `recordVersions` must have. */
export const VERSION_COLUMNS = { fp: 'bigint', version: 'bigint' } as const;

const isNewer = sql`(urls.version IS NULL OR ${isLaterSql('r.version', 'urls.version')})`;
const isOlder = isLaterSql('urls.version', 'r.version');
const isFiner = sql`${getSpanSql('r.version')} < ${getSpanSql('urls.version')}`;
const isNotBought = sql`(urls.bought_version IS NULL OR ${isLaterSql('r.version', 'urls.bought_version')})`;

/**
 * Records the versions that a sitemap gives URLs which the ledger knows, and makes changed pages due: a page has changed when
 * its version is later than everything bought or adopted of it (docs/explanation/ledger.md, "Versions"). An unknown version
 * moves nothing, and the first one that is known is that of what was bought before.
 *
 * The page has the latest version that any file shows, and belongs to that file: a page in two files is counted once, and only
 * the file that showed a version takes it back. Of two that may be one edit the finer is kept.
 *
 * A page in a batch that was not sent is covered by that batch. Once an attempt is out the batch may have bought the old
 * content, so the page is due again and waits until the batch has its answer. Quarantined URLs stay in quarantine.
 */
export async function recordVersions(
  tx: Queryable,
  { runId, watchId, sitemapId, adopt }: EntrySource,
  rows: Dialectal,
): Promise<void> {
  const isKnown = sql`urls.first_run <> ${runId}`;
  const isChange = sql`(${isKnown} AND ${isNewer} AND ${isNotBought}
      AND (urls.version IS NOT NULL OR urls.bought_version IS NOT NULL))`;
  const isShown = sql`(${isKnown} AND (${isNewer}
      OR NOT ${isOlder} AND ${isFiner} AND urls.changed_run IS DISTINCT FROM ${runId}))`;
  const isCovered = sql`(urls.state = 'planned' AND NOT EXISTS (
      SELECT 1 FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
      WHERE m.url_id = urls.id AND m.generation = urls.generation AND b.state <> 'planned'))`;
  await tx.run(sql`
    UPDATE urls SET
      version = CASE WHEN ${isNewer} THEN r.version
        WHEN ${isOlder} THEN CASE WHEN urls.sitemap_id = ${sitemapId} THEN r.version ELSE urls.version END
        WHEN ${isFiner} THEN r.version ELSE urls.version END,
      sitemap_id = CASE WHEN ${isShown} THEN ${sitemapId} ELSE urls.sitemap_id END,
      changed_run = CASE WHEN ${isChange} THEN ${runId} ELSE urls.changed_run END,
      guard_passed = CASE WHEN ${isChange} AND urls.due IS NULL THEN 0 ELSE urls.guard_passed END,
      bought_version = CASE WHEN ${adopt ? 1 : 0} = 1
          OR (urls.bought_version IS NULL AND urls.version IS NULL AND urls.bought_at IS NOT NULL)
          OR (NOT ${isNotBought} AND ${getSpanSql('r.version')} < ${getSpanSql('urls.bought_version')})
        THEN ${toLatestSql('urls.bought_version', 'r.version')} ELSE urls.bought_version END,
      planned_version = CASE WHEN ${isCovered} THEN ${toLatestSql('urls.planned_version', 'r.version')}
        ELSE urls.planned_version END,
      due = CASE WHEN NOT ${isChange} OR urls.due IS NOT NULL OR urls.state = 'quarantined' OR ${adopt ? 1 : 0} = 1
          THEN urls.due
        WHEN ${isCovered} THEN NULL
        ELSE 'changed' END
    FROM ${rows} AS r
    WHERE urls.fp = r.fp AND urls.watch_id = ${watchId} AND r.version IS NOT NULL
      AND urls.version IS DISTINCT FROM r.version`);
}
