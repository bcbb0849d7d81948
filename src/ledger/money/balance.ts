import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockAccount } from '../runs/watches.ts';

export interface Balance {
  readonly amount: Micros;
  /** When the service said so. */
  readonly at: number;
}

/** Keeps what the service says the balance is. One that came before what is known does not count. */
export async function recordBalance(
  ledger: Ledger,
  account: AccountId,
  amount: Micros,
  at: number = ledger.now(),
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    await setBalance(tx, account, amount, at);
  });
}

export async function setBalance(tx: Queryable, account: AccountId, amount: Micros, at: number): Promise<void> {
  await tx.run(sql`
    UPDATE ledger_accounts SET balance = ${amount}, balance_at = ${at}
    WHERE id = ${account} AND (balance_at IS NULL OR balance_at <= ${at})`);
}

/** The balance as last told; null when it was never told. */
export async function getLastBalance(ledger: Ledger, account: AccountId): Promise<Balance | null> {
  const row = await ledger.db.get(sql<{ balance: Micros | null; balance_at: number | null }>`
    SELECT balance, balance_at FROM ledger_accounts WHERE id = ${account}`);
  return row === undefined || row.balance === null ? null : { amount: row.balance, at: row.balance_at! };
}
