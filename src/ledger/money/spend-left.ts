import { type Micros, micros } from '../../../contract/money.ts';
import { sumCommitted, sumCounted } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';

/** What the caps of an account leave today and this month, also after what is committed; null without a cap. */
export interface SpendLeft {
  readonly day: Micros | null;
  readonly month: Micros | null;
}

export async function getSpendLeft({ db, now }: Ledger, { id, pricePerUrl, spend }: AccountPolicy): Promise<SpendLeft> {
  if (spend.perDay === null && spend.perMonth === null) return { day: null, month: null };
  const whose = { account: id, watchId: 0 };
  const { account: counted } = await sumCounted(db, whose, { now: now(), since: 'month' });
  const committed = await sumCommitted(db, { ...whose, runId: null, count: 'all' }, pricePerUrl);
  const left = (cap: Micros | null, used: Micros) => (cap === null ? null : micros(cap - used - committed.account));
  return { day: left(spend.perDay, counted.day), month: left(spend.perMonth, counted.month) };
}
