import { type Micros, micros } from '../../../contract/money.ts';
import type { AccountId } from '../../submission/ids.ts';
import { DAY_MS } from '../journal/days.ts';
import { sumChargedSince } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';

const RATE_DAYS = 7;

/** What an account is charged per day, over the last seven; 0 when it bought nothing. */
export async function getDailyRate({ db, now }: Ledger, account: AccountId): Promise<Micros> {
  const { amount } = await sumChargedSince(db, account, now() - RATE_DAYS * DAY_MS);
  return micros(Math.round(amount / RATE_DAYS));
}
