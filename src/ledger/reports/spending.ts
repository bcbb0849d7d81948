import { type Micros, micros } from '../../../contract/money.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { listWatchIds } from '../accounts/watches.ts';
import { getMonthStart } from '../journal/days.ts';
import { listDaySums } from '../journal/sums.ts';
import type { Ledger } from '../open-ledger.ts';

export type SpendingPeriod = 'day' | 'month';

/** What a watch was charged in a period. */
export interface Spending {
  readonly account: AccountId;
  readonly watch: WatchId;
  /** Start of the day or month, in UTC. */
  readonly from: number;
  readonly urls: number;
  readonly submissions: Micros;
  readonly checkedUrls: number;
  readonly checks: Micros;
  /** URLs that are bought and whose charge the service has not reported: not in `submissions`. */
  readonly unknownChargeUrls: number;
}

/** What was charged since the day of an instant, by account, watch and day or month, the latest first. */
export async function listSpending({ db }: Ledger, period: SpendingPeriod, since: number): Promise<Spending[]> {
  const names = new Map([...(await listWatchIds(db))].map(([name, id]) => [id, name]));
  const sums = new Map<string, Spending>();
  for (const { account_id: account, watch_id, day, kind, urls, amount, unpriced } of await listDaySums(db, since)) {
    const watch = names.get(watch_id);
    if (watch === undefined) continue;
    const from = period === 'day' ? day : getMonthStart(day);
    const key = JSON.stringify([account, watch, from]);
    const sum = sums.get(key) ?? {
      account,
      watch,
      from,
      urls: 0,
      submissions: micros(0),
      checkedUrls: 0,
      checks: micros(0),
      unknownChargeUrls: 0,
    };
    const added =
      kind === 'batch'
        ? {
            urls: sum.urls + urls,
            submissions: micros(sum.submissions + amount),
            unknownChargeUrls: sum.unknownChargeUrls + unpriced,
          }
        : { checkedUrls: sum.checkedUrls + urls, checks: micros(sum.checks + amount) };
    sums.set(key, { ...sum, ...added });
  }
  return [...sums.values()].sort(
    (a, b) => b.from - a.from || compare(a.account, b.account) || compare(a.watch, b.watch),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
