import { type Micros, micros, ZERO } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { getDayStart, getMonthStart } from './days.ts';
import { type Bucket, FROM_OPEN, INTO_CLOSED, NO_DAY, type PurchaseRef } from './entry.ts';
import { findMoney, sumOfBucket, sumOfClosed } from './open-money.ts';
import { listRepriced } from './prices.ts';

/** Whose money. `watchId`: under whatever account; 0 where no watch is meant. */
export interface Whose {
  readonly account: AccountId;
  readonly watchId: number;
  /** Only index-checks of the watch. */
  readonly ofChecks?: boolean;
}

export interface Counted {
  readonly day: Micros;
  readonly month: Micros;
}

/**
 * What was charged, or is taken to be, as caps count it: today and this month. `since`: the month is not read where only the day
 * has a cap, and is then that of the day. Uses the primary key of journal_totals and journal_totals_by_watch.
 */
export async function sumCounted(
  db: Queryable,
  { account, watchId, ofChecks = false }: Whose,
  { now, since }: { readonly now: number; readonly since: 'day' | 'month' },
): Promise<{ readonly account: Counted; readonly watch: Counted }> {
  const day = getDayStart(now);
  const from = since === 'day' ? day : getMonthStart(now);
  const sums = sql`
    SELECT coalesce(sum(CASE WHEN day >= ${day} THEN counted ELSE 0 END), 0) AS day, coalesce(sum(counted), 0) AS month
    FROM journal_totals`;
  return {
    account: await db.one(sql<Counted>`${sums} WHERE account_id = ${account} AND day >= ${from}`),
    watch: await db.one(sql<Counted>`${sums} WHERE watch_id = ${watchId} AND day >= ${from} ${onlyChecks(ofChecks)}`),
  };
}

const onlyChecks = (only: boolean): Query => (only ? sql`AND kind = 'check'` : sql``);

/** Which open money counts. A plan asks for all; a send not for what waits behind it, which is asked when its turn comes. */
export interface OpenScope extends Whose {
  readonly runId: number | null;
  readonly count: 'all' | 'on their way';
  /** The purchase that asks: of this account, watch and run. */
  readonly except?: PurchaseRef | undefined;
}

export interface Committed {
  readonly account: Micros;
  readonly watch: Micros;
  readonly run: Micros;
}

type Prices = Readonly<Record<ServiceLevel, Micros | null>>;

/** What may be charged and is not booked, at today's prices. Uses the indexes of `sumCounted` and journal_by_run. */
export async function sumCommitted(db: Queryable, scope: OpenScope, prices: Prices): Promise<Committed> {
  const { account, watchId, runId, ofChecks = false, except } = scope;
  const buckets: readonly Bucket[] = scope.count === 'all' ? ['planned', 'sent'] : ['sent'];
  const counts = (bucket: Bucket) => buckets.includes(bucket);
  const isOpen = scope.count === 'all' ? sql`bucket IN ('planned', 'sent')` : sql`bucket = 'sent'`;
  const sum = (whose: Query) =>
    db.one(sql<{ amount: number }>`
      SELECT coalesce(sum(amount), 0) AS amount FROM journal_totals WHERE ${whose} AND day = ${NO_DAY} AND ${isOpen}`);
  const own = except === undefined ? null : await findMoney(db, except);
  const ownAmount = own === null ? 0 : own.sent + (counts('planned') ? own.planned : 0);
  const sums = {
    account: (await sum(sql`account_id = ${account}`)).amount - ownAmount,
    watch: watchId === 0 ? 0 : (await sum(sql`watch_id = ${watchId} ${onlyChecks(ofChecks)}`)).amount - ownAmount,
    run: runId === null ? 0 : (await db.one(selectOpenOfRun(runId, scope.count))).amount - ownAmount,
  };
  for (const { purchase, bucket, before, amount } of await listRepriced(db, account, prices)) {
    if (!counts(bucket) || (except?.kind === 'batch' && purchase.id === except.id)) continue;
    sums.account += amount - before;
    if (purchase.watchId === watchId && !ofChecks) sums.watch += amount - before;
    if (purchase.runId === runId) sums.run += amount - before;
  }
  return { account: micros(sums.account), watch: micros(sums.watch), run: micros(sums.run) };
}

/** What the submissions of an account hold. */
export async function sumHeld(db: Queryable, account: AccountId): Promise<Micros> {
  const { amount } = await db.one(sql<{ amount: Micros }>`
    SELECT coalesce(sum(amount), 0) AS amount FROM journal_totals
    WHERE account_id = ${account} AND day = ${NO_DAY} AND kind = 'batch'`);
  return amount;
}

const selectOpenOfRun = (run: number, count: OpenScope['count']) => sql<{ amount: number }>`
  SELECT ${sumOfBucket('sent')} + ${count === 'all' ? sumOfBucket('planned') : sql`0`} AS amount
  FROM journal WHERE run_id = ${run}`;

/** What a run was charged, as caps count it. Uses journal_by_run. */
export async function sumCountedOfRun(db: Queryable, run: number | null): Promise<Micros> {
  if (run === null) return ZERO;
  const { amount } = await db.one(sql<{ amount: Micros }>`
    SELECT ${sumOfClosed(sql`counted`)} AS amount FROM journal WHERE run_id = ${run}`);
  return amount;
}

/** What was booked after a balance was asked for, which it therefore may not show. Uses journal_by_account. */
export async function sumCountedSince(
  db: Queryable,
  account: AccountId,
  at: number,
): Promise<{ readonly counted: Micros; readonly amount: Micros }> {
  return db.one(sql<{ counted: Micros; amount: Micros }>`
    SELECT coalesce(sum(counted), 0) AS counted, coalesce(sum(amount), 0) AS amount
    FROM journal WHERE account_id = ${account} AND ${INTO_CLOSED} AND ${FROM_OPEN} AND at > ${at}`);
}

/**
 * What entries behind one came to: what purchases cost, less what was corrected. `at`: of that entry or later; a minute of clocks
 * that differ is allowed for. Uses journal_by_account.
 */
export async function sumClosedAfter(db: Queryable, account: AccountId, behind: EntryPlace): Promise<Micros> {
  return (await db.one(selectClosedAfter(account, behind))).amount;
}

interface EntryPlace {
  readonly id: number;
  readonly at: number;
}

export const selectClosedAfter = (account: AccountId, { id, at }: EntryPlace) => sql<{ amount: Micros }>`
  SELECT ${sumOfClosed(sql`amount`)} AS amount FROM journal
  WHERE account_id = ${account} AND at > ${at - CLOCKS_MS} AND id > ${id}`;

const CLOCKS_MS = 60_000;

/** Whether a submission was booked after that time of which the service did not say the charge. Uses journal_by_account. */
export async function hasAssumedSince(db: Queryable, account: AccountId, at: number): Promise<boolean> {
  const row = await db.get(sql`
    SELECT 1 FROM journal WHERE account_id = ${account} AND kind = 'batch' AND to_bucket = 'assumed'
      AND ${INTO_CLOSED} AND ${FROM_OPEN} AND at > ${at} LIMIT 1`);
  return row !== undefined;
}

/** What was charged today and this month, as it is shown: what the service said, or what was assumed in its place. */
export const selectCharged = (account: AccountId, now: number) => sql<Counted>`
  SELECT coalesce(sum(CASE WHEN day >= ${getDayStart(now)} THEN amount ELSE 0 END), 0) AS day, coalesce(sum(amount), 0) AS month
  FROM journal_totals WHERE account_id = ${account} AND day >= ${getMonthStart(now)}`;

/** Uses the primary key of journal_totals. */
export const sumCharged = (db: Queryable, account: AccountId, now: number): Promise<Counted> =>
  db.one(selectCharged(account, now));

/** A sum of charges, without those of URLs that are bought and whose charge nobody knows. */
export interface Charged {
  readonly amount: Micros;
  readonly unpriced: number;
}

/** The same with what was ever charged. Uses the primary key of journal_totals. */
export const sumShown = (
  db: Queryable,
  account: AccountId,
  now: number,
): Promise<Counted & { readonly ever: Micros; readonly unpriced: number }> =>
  db.one(sql<Counted & { ever: Micros; unpriced: number }>`
    SELECT coalesce(sum(CASE WHEN day >= ${getDayStart(now)} THEN amount ELSE 0 END), 0) AS day,
      coalesce(sum(CASE WHEN day >= ${getMonthStart(now)} THEN amount ELSE 0 END), 0) AS month,
      coalesce(sum(amount), 0) AS ever, coalesce(sum(unpriced), 0) AS unpriced
    FROM journal_totals WHERE account_id = ${account} AND day > ${NO_DAY}`);

/** What counts of each watch: today, this month and what may still be charged. */
export interface WatchCounted extends Counted {
  readonly watch_id: number;
  readonly kind: PurchaseRef['kind'];
  readonly open: Micros;
}

/** `sumCounted` and `sumCommitted` of all watches together, at the prices at which it was counted. */
export const listCountedByWatch = (db: Queryable, now: number): Promise<WatchCounted[]> =>
  db.all(sql<WatchCounted>`
    SELECT watch_id, kind, coalesce(sum(CASE WHEN day >= ${getDayStart(now)} THEN counted ELSE 0 END), 0) AS day,
      coalesce(sum(CASE WHEN day >= ${getMonthStart(now)} THEN counted ELSE 0 END), 0) AS month,
      coalesce(sum(CASE WHEN day = ${NO_DAY} AND bucket IN ('planned', 'sent') THEN amount ELSE 0 END), 0) AS open
    FROM journal_totals
    WHERE account_id IN (SELECT id FROM ledger_accounts) AND (day = ${NO_DAY} OR day >= ${getMonthStart(now)})
    GROUP BY watch_id, kind`);

/** What runs were charged, and for how many of their URLs nobody knows it. Uses journal_by_run. */
export const selectChargedOfRuns = (runs: readonly number[]): Query<Charged & { readonly run_id: number }> => {
  const ids = toRows(
    { id: 'bigint' },
    runs.map((id): Row => [id]),
  );
  return sql<Charged & { run_id: number }>`
    SELECT run_id, ${sumOfClosed(sql`amount`)} AS amount, coalesce(sum(unpriced), 0) AS unpriced
    FROM journal WHERE run_id IN (SELECT id FROM ${ids} AS r) GROUP BY run_id`;
};

/** What an account was charged since then, and for how many submitted URLs. Uses journal_by_account. */
export const sumChargedSince = (
  db: Queryable,
  account: AccountId,
  since: number,
): Promise<{ readonly amount: Micros; readonly urls: number }> =>
  db.one(sql<{ amount: Micros; urls: number }>`
    SELECT ${sumOfClosed(sql`amount`)} AS amount,
      ${sumOfClosed(sql`CASE WHEN kind = 'batch' THEN urls ELSE 0 END`)} AS urls
    FROM journal WHERE account_id = ${account} AND at >= ${since}`);

/** What a watch was charged on a day, by kind. */
export interface DaySum {
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly day: number;
  readonly kind: PurchaseRef['kind'];
  readonly urls: number;
  readonly amount: Micros;
  readonly unpriced: number;
}

/** Uses the primary key of journal_totals. */
export const listDaySums = (db: Queryable, since: number): Promise<DaySum[]> =>
  db.all(sql<DaySum>`
    SELECT account_id, watch_id, day, kind, sum(urls) AS urls, sum(amount) AS amount, sum(unpriced) AS unpriced
    FROM journal_totals
    WHERE account_id IN (SELECT id FROM ledger_accounts) AND day >= ${Math.max(1, getDayStart(since))}
    GROUP BY account_id, watch_id, day, kind`);
