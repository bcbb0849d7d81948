import { type Micros, micros } from '../../../contract/money.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { sumSpend } from './spend.ts';

/** What the caps of an account leave today and this month, also after what is committed; null without a cap. */
export interface SpendLeft {
  readonly day: Micros | null;
  readonly month: Micros | null;
}

export async function getSpendLeft({ db, now }: Ledger, { id, pricePerUrl, spend }: AccountPolicy): Promise<SpendLeft> {
  if (spend.perDay === null && spend.perMonth === null) return { day: null, month: null };
  const scope = { account: id, watchId: 0, runId: null };
  const capped = { run: false, day: spend.perDay !== null, month: spend.perMonth !== null };
  const { account: spent } = await sumSpend(db, scope, pricePerUrl, { count: 'all' }, { capped, now: now() });
  const left = (cap: Micros | null, used: Micros) => (cap === null ? null : micros(cap - used));
  return { day: left(spend.perDay, spent.day), month: left(spend.perMonth, spent.month) };
}
