import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import { toStoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import { type EntrySource, type Found, rowsBetween } from './found.ts';
import { recordVersions, VERSION_COLUMNS } from './record-versions.ts';

export interface FoundCounts {
  /** URLs that this run found in this sitemap for the first time ever; the same when it is called again. */
  readonly new: number;
  /** Known URLs that this run found here with a later version; the same when it is called again. */
  readonly changed: number;
  /** Rows that became present now: they count for `addLive`. */
  readonly live: number;
  /** URLs whose fingerprint equals that of another known URL. They are skipped: never bought under the other's row. */
  readonly collided: readonly Url[];
}

const COLUMNS = { fp: 'bigint', url: 'text', version: 'bigint' } as const;
/** What is adopted counts as bought as it is. */
const ADOPTED_COLUMNS = { ...COLUMNS, bought_version: 'bigint' } as const;
type NewRow = readonly [key: bigint, url: Url, ...version: (Version | null)[]];

/**
 * Rows that a plan reads one after another, in the order of the URLs, then lie in few pages of the table, whatever the order of
 * the sitemap: a batch writes a page for several of its URLs, not for each. The order of code units is near enough.
 */
const byUrl = ([, a]: NewRow, [, b]: NewRow): number => (a < b ? -1 : a > b ? 1 : 0);

const SAME_COLUMNS = {
  watch_id: 'bigint',
  sitemap_id: 'bigint',
  first_run: 'bigint',
  state: 'text',
  reason_code: 'text',
  due: 'text',
} as const;

/**
 * Adds URLs that the sitemap did not list at its last complete visit. A URL that is in the ledger already (from another
 * sitemap, from an incomplete visit, or because it was gone and is back) keeps its row, so its generations stay bought.
 * Its version is compared: a page that changed and moved to another sitemap file is due as a changed page.
 */
export async function insertFound(
  tx: Queryable,
  source: EntrySource,
  found: Found,
  { from, to }: { from: number; to: number },
): Promise<FoundCounts> {
  const { runId, watchId, sitemapId, adopt } = source;
  const { reason_code } = toStoredReason(adopt ? { code: 'baseline' } : null);
  const due = adopt ? null : 'new';
  const rows = [
    ...rowsBetween(found, from, to, (key, { url, version }): NewRow => {
      return adopt ? [key, url, version, version] : [key, url, version];
    }),
  ].sort(byUrl);
  const inserted = await insertRows(
    tx,
    'urls',
    adopt ? ADOPTED_COLUMNS : COLUMNS,
    rows,
    'ON CONFLICT (fp, watch_id) DO NOTHING',
    {
      columns: SAME_COLUMNS,
      row: [watchId, sitemapId, runId, 'known', reason_code, due],
    },
  );
  if (inserted === rows.length) return { new: inserted, changed: 0, live: inserted, collided: [] };

  const { own, collided } = await matchByText(tx, watchId, found, from, to);
  const listed = toRows(VERSION_COLUMNS, own);
  await recordVersions(tx, source, listed);
  const { changes } = await tx.run(sql`
    UPDATE urls SET gone_run = NULL
    WHERE watch_id = ${watchId} AND gone_run IS NOT NULL AND fp IN (SELECT fp FROM ${listed} AS r)`);
  const counts = await tx.one(sql<{ added: number; changed: number }>`
    SELECT coalesce(sum(CASE WHEN u.first_run = ${runId} THEN 1 ELSE 0 END), 0) AS added,
      coalesce(sum(CASE WHEN u.changed_run = ${runId} THEN 1 ELSE 0 END), 0) AS changed
    FROM ${listed} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${watchId}
    ${dialectal(sql`AND`, sql`WHERE`)} u.sitemap_id = ${sitemapId}`);
  return { new: counts.added, changed: counts.changed, live: inserted + changes, collided };
}

/** Entries whose row is theirs, as rows of VERSION_COLUMNS, and the URLs whose fingerprint belongs to another URL. */
async function matchByText(
  tx: Queryable,
  watchId: number,
  found: Found,
  from: number,
  to: number,
): Promise<{ readonly own: Row[]; readonly collided: Url[] }> {
  const keys = toRows({ fp: 'bigint' }, [...rowsBetween(found, from, to, (key): Row => [key])]);
  const existing = await tx.all(sql<{ nr: number; url: Url }>`
    SELECT r.nr, u.url FROM ${keys} AS r ${dialectal(sql`CROSS JOIN`, sql`JOIN`)} urls AS u
    ${dialectal(sql`WHERE`, sql`ON`)} u.fp = r.fp AND u.watch_id = ${watchId}`);
  const own: Row[] = [];
  const collided: Url[] = [];
  for (const { nr, url } of existing) {
    const at = from + nr;
    const entry = found.entry(at);
    if (entry.url === url) own.push([found.key(at), entry.version]);
    else collided.push(entry.url);
  }
  return { own, collided };
}
