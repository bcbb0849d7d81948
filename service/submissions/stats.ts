import { CURRENCY, type Micros, sumMicros } from '../../contract/money.ts';
import type { Balance, Stats } from '../../contract/responses.ts';
import type { SubmissionState } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import type { Account } from '../accounts/account.ts';
import { getCheckTotals } from './check-totals.ts';
import { lira } from './record.ts';
import { getTotals } from './totals.ts';

/** The balance as the API shows it: for reading, and exactly. */
export function toBalance(balance: Micros): Balance {
  return { balance: lira(balance), balance_micros: balance, currency: CURRENCY };
}

/** GET /stats (spec 4.4): the totals of the account's submissions and of its index-checks. */
export async function accountStats(db: Queryable, account: Account): Promise<Stats> {
  const rows = await getTotals(db, account.id);
  const checks = await getCheckTotals(db, account.id);
  const sum = (field: 'submissions' | 'urls' | 'completed' | 'failed') =>
    rows.reduce((total, row) => total + row[field], 0);
  const count = (status: SubmissionState) => rows.find((row) => row.status === status)?.submissions ?? 0;
  const onSubmissions = sumMicros(...rows.map(({ spent }) => spent));
  const onChecks = checks.spent;
  return {
    ...toBalance(account.balance),
    submissions: {
      total: sum('submissions'),
      queued: count('queued'),
      processing: count('processing'),
      completed: count('completed'),
      partial: count('partial'),
      failed: count('failed'),
    },
    urls: {
      total: sum('urls'),
      pending: sum('urls') - sum('completed') - sum('failed'),
      completed: sum('completed'),
      failed: sum('failed'),
    },
    spending: {
      submissions: lira(onSubmissions),
      index_checks: lira(onChecks),
      total: lira(sumMicros(onSubmissions, onChecks)),
      currency: CURRENCY,
    },
    index_checks: { total: checks.checks, urls: checks.urls, found: checks.found },
  };
}
