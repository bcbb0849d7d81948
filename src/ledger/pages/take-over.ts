import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Version } from '../../url/version.ts';
import { addLive, lockAccount } from '../accounts/watches.ts';
import { assignReason } from '../reason-columns.ts';
import { isLaterSql, toLatestSql } from '../version-sql.ts';
import { leaveLists } from './drop-lists.ts';

/** A row that was bought, forgotten or is due, and the row without a purchase that a crawl has made for the same page. */
export interface TakeOver {
  readonly bought: number;
  readonly listed: number;
}

interface ListedRow {
  readonly bought: number;
  readonly old_watch: number;
  readonly old_gone: number | null;
  readonly listed: number;
  readonly fp: string;
  readonly url: string;
  readonly watch_id: number;
  readonly sitemap_id: number;
  readonly version: Version | null;
  readonly shown_versions: string | null;
  readonly first_run: number;
  readonly changed_run: number | null;
  readonly gone_run: number | null;
  readonly due: string | null;
}

const COLUMNS = {
  bought: 'bigint',
  fp: 'bigint',
  url: 'text',
  watch_id: 'bigint',
  sitemap_id: 'bigint',
  version: 'bigint',
  shown_versions: 'text',
  first_run: 'bigint',
  changed_run: 'bigint',
  gone_run: 'bigint',
  due: 'text',
} as const;

/**
 * Puts each such row in the place of the row that the crawl has made: the page keeps its generations, failures,
 * quarantine, purchases, index-checks and what makes it due under the watch and the spelling that list it now. A version that is
 * later than what was bought makes the page due as a changed one; otherwise only what made the bought row due counts.
 */
export async function takeOver(
  tx: Queryable,
  account: AccountId,
  runId: number,
  pairs: readonly TakeOver[],
): Promise<void> {
  await lockAccount(tx, account);
  const rows = await tx.all(selectPairs(pairs));
  if (rows.length === 0) return;
  const left = rows.filter(({ old_gone }) => old_gone === null);
  await leaveLists(
    tx,
    left.map(({ bought }) => bought),
  );
  await tx.run(sql`
    DELETE FROM urls WHERE id IN (
      SELECT id FROM ${toRows(
        { id: 'bigint' },
        rows.map(({ listed }): Row => [listed]),
      )} AS r)`);
  const listed = toRows(
    COLUMNS,
    rows.map(
      (row): Row => [
        row.bought,
        BigInt(row.fp),
        row.url,
        row.watch_id,
        row.sitemap_id,
        row.version,
        row.shown_versions,
        row.first_run,
        row.changed_run,
        row.gone_run,
        row.due,
      ],
    ),
  );
  const isChange = sql`coalesce(CASE WHEN urls.bought_version IS NULL THEN ${isLaterSql('r.version', 'urls.version')}
    ELSE ${isLaterSql('r.version', 'urls.bought_version')} END, 1 = 0)`;
  const isChanged = sql`(${isChange} OR r.due = 'changed') AND urls.due IS NULL AND urls.state <> 'quarantined'`;
  await tx.run(sql`
    UPDATE urls SET fp = r.fp, url = r.url, forgotten_at = NULL, watch_id = r.watch_id, sitemap_id = r.sitemap_id,
      version = coalesce(r.version, urls.version), shown_versions = r.shown_versions, first_run = r.first_run, gone_run = r.gone_run,
      changed_run = CASE WHEN ${isChange} THEN ${runId} ELSE r.changed_run END,
      guard_passed = CASE WHEN ${isChanged} THEN 0 ELSE urls.guard_passed END,
      due = CASE WHEN ${isChanged} THEN 'changed' ELSE urls.due END,
      bought_version = CASE WHEN NOT ${isChange} AND r.due IS DISTINCT FROM 'changed'
          AND (urls.version IS NULL OR urls.bought_version IS NOT NULL)
        THEN ${toLatestSql('urls.bought_version', 'r.version')} ELSE urls.bought_version END
    FROM ${listed} AS r WHERE urls.id = r.bought`);
  await tx.run(sql`
    UPDATE check_queue SET watch_id = r.watch_id FROM ${listed} AS r WHERE check_queue.url_id = r.bought`);
  // The place that the row takes is counted already.
  for (const [watch, urls] of Map.groupBy(left, ({ old_watch }) => old_watch)) await addLive(tx, watch, -urls.length);
}

/** Reads both rows once more, under the account's lock: one of them may have been planned or taken over since. */
const selectPairs = (pairs: readonly TakeOver[]): Query<ListedRow> => sql<ListedRow>`
  SELECT o.id AS bought, o.watch_id AS old_watch, o.gone_run AS old_gone, n.id AS listed, CAST(n.fp AS TEXT) AS fp, n.url,
    n.watch_id, n.sitemap_id, n.version, n.shown_versions, n.first_run, n.changed_run, n.gone_run, n.due
  FROM ${toRows(
    { bought: 'bigint', listed: 'bigint' },
    pairs.map(({ bought, listed }): Row => [bought, listed]),
  )} AS r CROSS JOIN urls AS o CROSS JOIN urls AS n
  WHERE o.id = r.bought AND n.id = r.listed AND n.generation = 0
    AND (o.generation > 0 OR o.forgotten_at IS NOT NULL OR (o.due IS NOT NULL AND n.due IS NULL))`;

/** The condition of urls_left on a row `o`: no sitemap of its watch lists it, and something is to follow. */
export const IS_LEFT: Query = sql`o.gone_run IS NOT NULL AND o.generation > 0 AND (o.due IS NOT NULL OR o.quarantined)`;

/**
 * Where both rows were bought, each keeps its purchases: what is to follow for the one is to follow for the one that is listed, with
 * its failures and its time of purchase. Call it with the account locked.
 */
export async function moveWishes(tx: Queryable, pairs: readonly TakeOver[]): Promise<void> {
  if (pairs.length === 0) return;
  const rows = toRows(
    { bought: 'bigint', listed: 'bigint' },
    pairs.map(({ bought, listed }): Row => [bought, listed]),
  );
  await tx.run(sql`
    UPDATE urls SET state = o.state, reason_code = o.reason_code, reason_params = o.reason_params, due = o.due,
      due_at = o.due_at, guard_passed = o.guard_passed, failures = o.failures, bought_at = o.bought_at
    FROM ${rows} AS r JOIN urls AS o ON o.id = r.bought WHERE urls.id = r.listed`);
  await tx.run(sql`
    UPDATE urls SET state = 'known', ${assignReason(null)}, due = NULL, due_at = NULL
    WHERE id IN (SELECT bought FROM ${rows} AS r)`);
}
