import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Caps, SpendQuestion } from '../../submission/caps.ts';
import type { AccountPolicy } from '../policy.ts';
import { type CommitmentScope, type SpentFor, sumSpend } from './spend.ts';

/**
 * The facts that the caps are asked with, read inside the transaction that will spend. A balance that was never read is
 * no fact, and one without a floor is left to the service's own 402, which parks the batch until the balance suffices.
 * A prepaid balance below zero is nonsense, whatever the floor: nothing is bought on it until the service says another.
 */
export async function buildSpendQuestion(
  tx: Queryable,
  account: AccountPolicy,
  watchCaps: Caps,
  who: Omit<SpentFor, 'account'>,
  promises: CommitmentScope,
  now: number,
): Promise<Omit<SpendQuestion, 'cost'>> {
  // Which service level a charge without an amount had does not matter: the higher price keeps the caps.
  const { standard, fast } = account.pricePerUrl;
  const unknownChargePrice = micros(Math.max(standard ?? 0, fast ?? 0));
  const sums = await sumSpend(tx, { account: account.id, ...who }, { ...promises, unknownChargePrice }, now);
  const row = await tx.get(sql<{ balance: Micros | null }>`
    SELECT balance FROM ledger_accounts WHERE id = ${account.id}`);
  const floor = account.spend.balanceFloor;
  const balance = row?.balance ?? null;
  return {
    watch: { caps: watchCaps, spent: sums.watch },
    account: { caps: account.spend, spent: sums.account },
    balance: balance === null || (floor <= 0 && balance >= 0) ? null : micros(balance - sums.committed),
    floor,
  };
}
