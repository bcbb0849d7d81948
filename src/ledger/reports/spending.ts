import { type Micros, micros } from '../../../contract/money.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { getMonthStart } from '../money/spend.ts';
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

interface SpendingRow {
  readonly account_id: AccountId;
  readonly watch: WatchId;
  readonly day: number;
  readonly kind: 'batch' | 'check';
  readonly urls: number;
  readonly amount: number;
  readonly unknown: number;
}

const DAY = 86_400_000;

/**
 * Charges since an instant, by account, watch and day or month, the latest first. Uses charges_by_account. The
 * length of a day is written into the query: SQLite divides by a parameter as by a fraction.
 */
export async function listSpending(ledger: Ledger, period: SpendingPeriod, since: number): Promise<Spending[]> {
  const rows = await ledger.db.all(sql<SpendingRow>`
    SELECT c.account_id, w.name AS watch, c.at / 86400000 AS day, c.kind, sum(c.urls) AS urls, sum(c.amount) AS amount,
      sum(CASE WHEN c.reported = 0 AND c.amount = 0 THEN c.urls ELSE 0 END) AS unknown
    FROM charges AS c JOIN watches AS w ON w.id = c.watch_id
    WHERE c.account_id IN (SELECT id FROM ledger_accounts) AND c.at >= ${since}
    GROUP BY 1, 2, 3, 4`);
  const sums = new Map<string, Spending>();
  for (const { account_id: account, watch, day, kind, urls, amount, unknown } of rows) {
    const from = period === 'day' ? day * DAY : getMonthStart(day * DAY);
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
            unknownChargeUrls: sum.unknownChargeUrls + unknown,
          }
        : { checkedUrls: sum.checkedUrls + urls, checks: micros(sum.checks + amount) };
    sums.set(key, { ...sum, ...added });
  }
  return [...sums.values()].sort(
    (a, b) => b.from - a.from || compare(a.account, b.account) || compare(a.watch, b.watch),
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
