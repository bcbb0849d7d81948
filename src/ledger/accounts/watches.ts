import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';

/** The row of a watch, created on first use. A watch may move to another account; its URLs stay bought. */
export async function ensureWatch(tx: Queryable, watch: WatchId, account: AccountId): Promise<number> {
  await ensureAccount(tx, account);
  await tx.run(sql`
    INSERT INTO watches (name, account_id) VALUES (${watch}, ${account})
    ON CONFLICT (name) DO UPDATE SET account_id = excluded.account_id WHERE watches.account_id <> excluded.account_id`);
  return (await tx.one(sql<{ id: number }>`SELECT id FROM watches WHERE name = ${watch}`)).id;
}

/** The row of a watch, or null when the ledger does not have it. */
export async function findWatch(db: Queryable, watch: WatchId): Promise<number | null> {
  const row = await db.get(sql<{ id: number }>`SELECT id FROM watches WHERE name = ${watch}`);
  return row?.id ?? null;
}

/** The rows of all watches that the ledger knows. */
export async function listWatchIds(db: Queryable): Promise<ReadonlyMap<WatchId, number>> {
  const rows = await db.all(sql<{ id: number; name: WatchId }>`SELECT id, name FROM watches`);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** The watches that belong to an account, or did when they were run, as far as the ledger knows. */
export async function listWatchesOnceIn(db: Queryable, account: AccountId): Promise<ReadonlySet<WatchId>> {
  const rows = await db.all(sql<{ name: WatchId }>`
    SELECT name FROM watches AS w WHERE ${wasOnceIn(account)}`);
  return new Set(rows.map(({ name }) => name));
}

/** A condition on the row `w` of a watch. Uses runs_by_watch. */
export const wasOnceIn = (account: AccountId): Query => sql`
  (w.account_id = ${account} OR EXISTS (SELECT 1 FROM runs WHERE runs.watch_id = w.id AND runs.account_id = ${account}))`;

async function ensureAccount(tx: Queryable, account: AccountId): Promise<void> {
  await tx.run(sql`INSERT INTO ledger_accounts (id) VALUES (${account}) ON CONFLICT (id) DO NOTHING`);
}

/**
 * Must come first in every transaction that plans or spends. On Postgres it locks the account, so that two workers
 * never both spend the last lira under a cap; on SQLite transactions take turns anyway.
 */
export async function lockAccount(tx: Queryable, account: AccountId): Promise<void> {
  await ensureAccount(tx, account);
  await tx.run(sql`UPDATE ledger_accounts SET lock_version = lock_version + 1 WHERE id = ${account}`);
}

/**
 * Maintains the number of a watch's present URLs, so that reports need not count them. It locks the watch until the
 * transaction ends: call it last, or the sitemaps of a watch are written one after the other on Postgres.
 */
export async function addLive(tx: Queryable, watchId: number, urls: number): Promise<void> {
  if (urls !== 0) await tx.run(sql`UPDATE watches SET live = live + ${urls} WHERE id = ${watchId}`);
}
