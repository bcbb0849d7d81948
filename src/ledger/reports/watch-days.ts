import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import { listWatchIds } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';

export const DAY = 86_400_000;

/** How far the URLs of a watch are. Each is part of `listed`: URLs that no sitemap lists any more are not counted. */
export interface WatchCounts {
  readonly listed: number;
  /** Accepted by the service at least once. */
  readonly bought: number;
  readonly completed: number;
  /** Checked in the index since they were last completed. */
  readonly checked: number;
  /** Found at their last check. */
  readonly found: number;
}

/** The counts of a watch on a UTC day, as of the last time when they were counted on it. */
export interface WatchDay extends WatchCounts {
  readonly watch: WatchId;
  /** Start of the day. */
  readonly day: number;
  readonly at: number;
}

/** The columns of `watch_days`, in the order of their values. */
export const WATCH_DAY_COLUMNS = {
  watch_id: 'bigint',
  day: 'bigint',
  listed: 'bigint',
  bought: 'bigint',
  completed: 'bigint',
  checked: 'bigint',
  found: 'bigint',
  at: 'bigint',
} as const;

/** Rows that one query reads, in about 10 ms, so that the process stays responsive. */
const PAGE = 20_000;

/** What is counted today and not kept. */
interface CountsOfToday extends WatchCounts {
  /** Listed when the watch began, and taken over without buying them. */
  readonly adopted: number;
}

/**
 * Counts the URLs of every watch and keeps the counts as those of today, because the ledger knows how a URL is and not
 * how it was. Reads every URL once, by its primary key, in pages. Returns how many URLs of each watch are adopted.
 */
export async function recordWatchDays(ledger: Ledger): Promise<ReadonlyMap<WatchId, number>> {
  const { db } = ledger;
  const sums = new Map<number, CountsOfToday>();
  const add = (rows: readonly (Partial<CountsOfToday> & { readonly watch_id: number })[]) => {
    for (const { watch_id: watch, ...row } of rows) {
      const sum = sums.get(watch) ?? { listed: 0, bought: 0, completed: 0, checked: 0, found: 0, adopted: 0 };
      sums.set(watch, {
        listed: sum.listed + (row.listed ?? 0),
        bought: sum.bought + (row.bought ?? 0),
        completed: sum.completed + (row.completed ?? 0),
        checked: sum.checked + (row.checked ?? 0),
        found: sum.found + (row.found ?? 0),
        adopted: sum.adopted + (row.adopted ?? 0),
      });
    }
  };
  for (let after = await first(db, 'urls'); after !== null; after = await next(db, 'urls', after + PAGE))
    add(await db.all(countUrls(after, after + PAGE)));
  for (let after = await first(db, 'queue'); after !== null; after = await next(db, 'queue', after + PAGE))
    add(await db.all(countChecked(after, after + PAGE)));
  const at = ledger.now();
  const rows = [...sums].map(
    ([watch, { listed, bought, completed, checked, found }]): Row => [
      watch,
      Math.floor(at / DAY),
      listed,
      bought,
      completed,
      checked,
      found,
      at,
    ],
  );
  await db.tx((tx) =>
    insertRows(
      tx,
      'watch_days',
      WATCH_DAY_COLUMNS,
      rows,
      `ON CONFLICT (watch_id, day) DO UPDATE SET listed = excluded.listed, bought = excluded.bought,
        completed = excluded.completed, checked = excluded.checked, found = excluded.found, at = excluded.at`,
    ),
  );
  return new Map([...(await listWatchIds(db))].map(([name, id]) => [name, sums.get(id)?.adopted ?? 0]));
}

type Table = 'urls' | 'queue';

/** The id before the first row of a page that is not empty; null behind the last one. */
async function next(db: Queryable, table: Table, after: number): Promise<number | null> {
  await yieldToEventLoop();
  const { id } = await db.one(
    table === 'urls'
      ? sql<{ id: number | null }>`SELECT min(id) AS id FROM urls WHERE id > ${after}`
      : sql<{ id: number | null }>`SELECT min(url_id) AS id FROM check_queue WHERE url_id > ${after}`,
  );
  return id === null ? null : id - 1;
}

const first = (db: Queryable, table: Table) => next(db, table, 0);

/** Uses the primary key. */
export const countUrls = (after: number, last: number) => sql<
  Pick<CountsOfToday, 'listed' | 'bought' | 'completed' | 'adopted'> & { watch_id: number }
>`
  SELECT watch_id, count(*) AS listed, sum(CASE WHEN bought_at IS NOT NULL THEN 1 ELSE 0 END) AS bought,
    sum(CASE WHEN completed_at IS NOT NULL THEN 1 ELSE 0 END) AS completed,
    sum(CASE WHEN bought_at IS NULL AND reason_code IN ('baseline', 'lastmod_not_resubmitted') THEN 1 ELSE 0 END) AS adopted
  FROM urls WHERE id > ${after} AND id <= ${last} AND gone_run IS NULL GROUP BY watch_id`;

/** Uses both primary keys. */
export const countChecked = (after: number, last: number) => sql<
  Pick<WatchCounts, 'checked' | 'found'> & { watch_id: number }
>`
  SELECT u.watch_id, sum(CASE WHEN q.last_check_at IS NOT NULL THEN 1 ELSE 0 END) AS checked,
    sum(CASE WHEN q.found_at IS NOT NULL THEN 1 ELSE 0 END) AS found
  FROM check_queue AS q JOIN urls AS u ON u.id = q.url_id
  WHERE q.url_id > ${after} AND q.url_id <= ${last} AND u.gone_run IS NULL GROUP BY u.watch_id`;

/** What was counted since an instant, in the order of time. Uses the primary key. */
export async function listWatchDays(ledger: Ledger, watch: WatchId, since: number): Promise<WatchDay[]> {
  const rows = await ledger.db.all(selectWatchDays(watch, since));
  return rows.map(({ day, ...row }) => ({ ...row, watch, day: day * DAY }));
}

export const selectWatchDays = (watch: WatchId, since: number) => sql<WatchCounts & { day: number; at: number }>`
  SELECT day, listed, bought, completed, checked, found, at FROM watch_days
  WHERE watch_id = (SELECT id FROM watches WHERE name = ${watch}) AND day >= ${Math.floor(since / DAY)} ORDER BY day`;

/** The first day of a watch that was ever counted; null when none was. */
export async function findFirstWatchDay(ledger: Ledger, watch: WatchId): Promise<number | null> {
  const { day } = await ledger.db.one(sql<{ day: number | null }>`
    SELECT min(day) AS day FROM watch_days WHERE watch_id = (SELECT id FROM watches WHERE name = ${watch})`);
  return day === null ? null : day * DAY;
}
