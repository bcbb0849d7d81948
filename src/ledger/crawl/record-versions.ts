import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Dialectal, dialectal, type Query, sql } from '../../database/sql.ts';
import type { Version } from '../../url/version.ts';
import { getSpanSql, getStartSql, isLaterSql, toLatestSql } from '../version-sql.ts';
import type { EntrySource } from './found.ts';
import { type SharedRow, showVersion } from './shown-versions.ts';

/** The columns that `rows` of `recordVersions` must have. */
export const VERSION_COLUMNS = { fp: 'bigint', version: 'bigint' } as const;

const SHARED_COLUMNS = {
  id: 'bigint',
  version: 'bigint',
  latest: 'bigint',
  sitemap_id: 'bigint',
  shown: 'text',
} as const;

const isNewer = sql`(urls.version IS NULL OR ${isLaterSql('r.version', 'urls.version')})`;
const isOlder = isLaterSql('urls.version', 'r.version');
const isFiner = sql`${getSpanSql('r.version')} < ${getSpanSql('urls.version')}`;
const isNotBought = sql`(urls.bought_version IS NULL OR ${isLaterSql('r.version', 'urls.bought_version')})`;
/** A recovered job bought the page before this version: no purchase of it can be that of the job. */
const isAfterRecovered = sql`coalesce(${getStartSql('r.version')} > urls.versions_bought_until, 1 = 0)`;
/** The page was bought without a version: the first one that is known is that of the purchase. */
const isFirstOfBought = sql`(urls.bought_version IS NULL AND urls.version IS NULL AND urls.bought_at IS NOT NULL
    AND NOT ${isAfterRecovered})`;
/** All that was seen of the page is bought. */
const isAllBought = sql`(urls.version IS NULL
    OR urls.bought_version IS NOT NULL AND NOT ${isLaterSql('urls.version', 'urls.bought_version')})`;
/** Nothing else of the page is not bought. */
const isOnlyNotBought = sql`(${isNotBought} AND ${isAllBought})`;
/** What is not bought takes precedence over what is, though both may be one edit. */
const isLatest = sql`(${isNewer} OR ${isFiner} AND ${isOnlyNotBought})`;

/**
 * Records the versions that a sitemap gives URLs which the ledger knows, and makes changed pages due: a page has changed when
 * its version is later than everything bought or adopted of it (docs/explanation/ledger.md, "Versions"). An unknown version
 * moves nothing, and the first one that is known is that of what was bought before.
 *
 * The page has the latest version that any file shows, and belongs to that file: a page in two files is counted once, and only
 * the file that showed a version takes it back. Of two that may be one edit the finer is kept. Where several files show a
 * version that is not bought, the row keeps that of each (`showVersion`).
 *
 * A page in a batch that was not sent is covered by that batch. Once an attempt is out the batch may have bought the old
 * content, so the page is due again and waits until the batch has its answer. Quarantined URLs stay in quarantine.
 */
export async function recordVersions(tx: Queryable, source: EntrySource, rows: Dialectal): Promise<void> {
  const { watchId, sitemapId } = source;
  const isShared = toShared(source);
  await tx.run(sql`
    UPDATE urls SET
      version = CASE WHEN ${isLatest} THEN r.version
        WHEN ${isOlder} THEN CASE WHEN urls.sitemap_id = ${sitemapId} THEN r.version ELSE urls.version END
        WHEN ${isFiner} THEN r.version ELSE urls.version END,
      sitemap_id = CASE WHEN ${isLatest} OR NOT ${isOlder} AND ${isFiner} THEN ${toOwner(source, isLatest, sql`${sitemapId}`)}
        ELSE urls.sitemap_id END,
      ${assignChange(source, isLatest)}
    FROM ${rows} AS r
    WHERE urls.fp = r.fp AND urls.watch_id = ${watchId} AND r.version IS NOT NULL
      AND urls.version IS DISTINCT FROM r.version AND NOT ${isShared}`);
  // After the update: on Postgres it has waited for the visit of another file that has shared the page meanwhile.
  const shared = await tx.all(sql<SharedRow & { id: number; shows: Version }>`
    SELECT urls.id, urls.sitemap_id, urls.version, urls.bought_version, urls.shown_versions, r.version AS shows
    FROM ${rows} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls
    ${dialectal(sql`WHERE`, sql`ON`)} urls.fp = r.fp AND urls.watch_id = ${watchId}
    ${dialectal(sql`AND`, sql`WHERE`)} r.version IS NOT NULL AND ${isShared}
    ORDER BY urls.id ${dialectal(sql``, sql`FOR UPDATE OF urls`)}`);
  if (shared.length === 0) return;
  const latest = toRows(
    SHARED_COLUMNS,
    shared.map((row): Row => {
      const { own, version, sitemapId: owner, shown } = showVersion(row, sitemapId, row.shows);
      return [row.id, own, version, owner, shown];
    }),
  );
  const isNext = sql`(${isNewer} OR ${isOnlyNotBought})`;
  await tx.run(sql`
    UPDATE urls SET version = r.latest, sitemap_id = ${toOwner(source, isNext, sql`r.sitemap_id`)}, shown_versions = r.shown,
      ${assignChange(source, isNext)}
    FROM ${latest} AS r WHERE urls.id = r.id`);
}

/** The run that has found a page, or its change, counts it under the file that showed it first. */
const toOwner = ({ runId }: EntrySource, isNext: Query, owner: Query): Query => sql`CASE WHEN urls.first_run <> ${runId}
    AND (${isNext} OR urls.changed_run IS DISTINCT FROM ${runId}) THEN ${owner} ELSE urls.sitemap_id END`;

/**
 * Whether the sitemap and another one show versions of the page that are not bought. Where all that the other one has shown is
 * bought, the page only goes over to this one, but not in its first run, which counts it under the other one.
 */
const toShared = ({ runId, sitemapId, adopt }: EntrySource): Query => sql`(urls.shown_versions IS NOT NULL
    OR urls.sitemap_id <> ${sitemapId} AND ${adopt ? 1 : 0} = 0 AND ${isNotBought} AND NOT ${isFirstOfBought}
      AND NOT (urls.first_run <> ${runId} AND ${isAllBought} AND ${isLatest}))`;

/** What follows when a file shows `r.version`. `isNext`: it becomes the version of the page. */
function assignChange({ runId, adopt }: EntrySource, isNext: Query): Query {
  const isChange = sql`(urls.first_run <> ${runId} AND ${isNext} AND ${isNotBought}
      AND (urls.version IS NOT NULL OR urls.bought_version IS NOT NULL OR ${isAfterRecovered}))`;
  const isCovered = sql`(urls.state = 'planned' AND NOT EXISTS (
      SELECT 1 FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
      WHERE m.url_id = urls.id AND m.generation = urls.generation AND b.state <> 'planned'))`;
  return sql`changed_run = CASE WHEN ${isChange} THEN ${runId} ELSE urls.changed_run END,
      guard_passed = CASE WHEN ${isChange} AND urls.due IS NULL THEN 0 ELSE urls.guard_passed END,
      bought_version = CASE WHEN ${adopt ? 1 : 0} = 1 OR ${isFirstOfBought}
          OR (NOT ${isNotBought} AND ${getSpanSql('r.version')} < ${getSpanSql('urls.bought_version')})
        THEN ${toLatestSql('urls.bought_version', 'r.version')} ELSE urls.bought_version END,
      planned_version = CASE WHEN ${isCovered} THEN ${toLatestSql('urls.planned_version', 'r.version')}
        ELSE urls.planned_version END,
      due = CASE WHEN NOT ${isChange} OR urls.due IS NOT NULL OR urls.state = 'quarantined' OR ${adopt ? 1 : 0} = 1
          THEN urls.due
        WHEN ${isCovered} THEN NULL
        ELSE 'changed' END`;
}
