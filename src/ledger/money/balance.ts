import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { hasAssumedSince, sumCountedSince } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { keepReading } from './balance-readings.ts';

export interface Balance {
  readonly amount: Micros;
  /** When it was requested: charges since then are not in it. */
  readonly at: number;
}

/**
 * Records the reported balance. `at`: when it was requested, not when the response arrived, so that a charge made in the
 * meantime is subtracted twice rather than not at all. A balance older than the recorded one is ignored.
 */
export async function recordBalance(
  ledger: Ledger,
  account: AccountId,
  amount: Micros,
  at: number = ledger.now(),
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    if (await setBalance(tx, account, amount, at)) await keepReading(tx, account, { amount, at });
  });
}

/** A balance so far ahead of a later one was recorded under a clock that was wrong: it no longer counts. */
const CLOCK_ERROR_MS = 3_600_000;

/** Returns whether it counts from now on. */
export async function setBalance(tx: Queryable, account: AccountId, amount: Micros, at: number): Promise<boolean> {
  const { changes } = await tx.run(sql`
    UPDATE ledger_accounts SET balance = ${amount}, balance_at = ${at}
    WHERE id = ${account} AND (balance_at IS NULL OR balance_at <= ${at} OR balance_at > ${at + CLOCK_ERROR_MS})`);
  return changes === 1;
}

/** The balance as the service last reported it; null when it never did. */
export async function findBalance(db: Queryable, account: AccountId): Promise<Balance | null> {
  const row = await db.get(sql<{ balance: Micros | null; balance_at: number | null }>`
    SELECT balance, balance_at FROM ledger_accounts WHERE id = ${account}`);
  if (row === undefined || row.balance === null || row.balance_at === null) return null;
  return { amount: row.balance, at: row.balance_at };
}

/** A balance older than this may miss purchases by other clients of the account. */
export const FRESH_MS = 10 * 60_000;

/**
 * What the balance leaves: as last reported, less what was charged since and what is committed. Null when it sets no
 * bound: without a floor the service's own 402 guards a balance that is not negative. A negative prepaid balance cannot
 * be right, so it always bounds. 'unknown': a floor cannot be kept for a request that is sent now, because the balance
 * was never read, is old, or was followed by a charge of which the service did not report the amount.
 */
export async function computeBalanceLeft(
  tx: Queryable,
  account: AccountPolicy,
  committed: Micros,
  { now, sendsNow }: { readonly now: number; readonly sendsNow: boolean },
): Promise<Micros | null | 'unknown'> {
  const hasFloor = account.spend.balanceFloor > 0;
  const balance = await findBalance(tx, account.id);
  if (balance === null) return hasFloor && sendsNow ? 'unknown' : null;
  if (!hasFloor && balance.amount >= 0) return null;
  if (hasFloor && sendsNow && !(await isFresh(tx, account.id, balance, now))) return 'unknown';
  const { counted } = await sumCountedSince(tx, account.id, balance.at);
  return micros(balance.amount - counted - committed);
}

/** Whether to request the balance before a purchase: there is a floor and no fresh balance. */
export async function needsFreshBalance({ db, now }: Ledger, { id, spend }: AccountPolicy): Promise<boolean> {
  if (spend.balanceFloor <= 0) return false;
  const balance = await findBalance(db, id);
  return balance === null || !(await isFresh(db, id, balance, now()));
}

async function isFresh(db: Queryable, account: AccountId, { at }: Balance, now: number): Promise<boolean> {
  if (now - at >= FRESH_MS || at > now + CLOCK_ERROR_MS) return false;
  return !(await hasAssumedSince(db, account, at));
}
