import { type Micros, micros } from '../../../contract/money.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { parseReason, type Reason, type StoredReason } from '../../submission/reason.ts';
import { sumHeld } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { findBalance } from './balance.ts';

/** What of an account waits to be sent, and what it needs. */
export interface WaitingMoney {
  readonly batches: number;
  readonly urls: number;
  /** With what may have been charged; null when the price of a batch is not known. */
  readonly cost: Micros | null;
  /** As last read; null before that. */
  readonly balance: Micros | null;
  /** Why the batch that is tried next waits; null when it does not. */
  readonly reason: Reason | null;
}

interface Row {
  readonly batches: number;
  readonly urls: number;
  readonly unpriced: number;
}

/** Uses batches_waiting. */
export async function getWaitingMoney(ledger: Ledger, account: AccountId): Promise<WaitingMoney> {
  const { db } = ledger;
  const { unpriced, ...row } = await db.one(sql<Row>`
    SELECT count(*) AS batches, coalesce(sum(urls), 0) AS urls,
      coalesce(sum(CASE WHEN expected_cost IS NULL THEN 1 ELSE 0 END), 0) AS unpriced
    FROM batches WHERE account_id = ${account} AND state IN ('planned', 'sending')`);
  const next = await db.get(sql<StoredReason>`
    SELECT reason_code, reason_params FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') AND not_before IS NOT NULL
    ORDER BY not_before, id LIMIT 1`);
  return {
    ...row,
    cost: unpriced > 0 ? null : await sumHeld(db, account),
    balance: (await findBalance(ledger.db, account))?.amount ?? null,
    reason: next === undefined ? null : parseReason(next),
  };
}

/** What the balance lacks, above its floor, for what waits and for `more`; null when a price or the balance is unknown. */
export function computeMissing(
  { cost, balance }: Pick<WaitingMoney, 'cost' | 'balance'>,
  { spend }: Pick<AccountPolicy, 'spend'>,
  more: Micros | null = micros(0),
): Micros | null {
  if (cost === null || balance === null || more === null) return null;
  return micros(Math.max(0, cost + more + spend.balanceFloor - balance));
}
