import { type Micros, micros } from '../../../contract/money.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

const DAY = 86_400_000;
const RATE_DAYS = 7;

/** What an account was charged since then, and for how many URLs. Uses charges_by_account. */
export async function getChargedSince(
  { db }: Ledger,
  account: AccountId,
  since: number,
): Promise<{ readonly amount: Micros; readonly urls: number }> {
  return db.one(sql<{ amount: Micros; urls: number }>`
    SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(CASE WHEN kind = 'batch' THEN urls ELSE 0 END), 0) AS urls
    FROM charges WHERE account_id = ${account} AND at >= ${since}`);
}

/** What an account is charged per day, over the last seven; 0 when it bought nothing. */
export async function getDailyRate(ledger: Ledger, account: AccountId): Promise<Micros> {
  const { amount } = await getChargedSince(ledger, account, ledger.now() - RATE_DAYS * DAY);
  return micros(Math.round(amount / RATE_DAYS));
}
