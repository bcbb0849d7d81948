import { type Micros, sumMicros, ZERO } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { PART } from '../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import type { AccountId } from './account.ts';
import type { EntryKind } from './entries.ts';

/** The entries of a month as sums, with the balance before and after them. */
export interface MonthSums {
  readonly month: string;
  readonly opening: Micros;
  readonly totals: Readonly<Partial<Record<EntryKind, Micros>>>;
  readonly closing: Micros;
  readonly count: number;
}

/** The sums of one account's entries, and what they must equal. */
export interface AccountAudit {
  /** Oldest first. A month without entries is left out. */
  readonly months: readonly MonthSums[];
  /** The sum of all entries. */
  readonly sum: Micros;
  /** The balance that is kept beside them. */
  readonly balance: Micros;
  /** Entries whose balance is not that of the entry before plus their amount. */
  readonly broken: number;
  /** Charges without what was given back, by the entries. */
  readonly spent: Micros;
  /** The same by the submissions and index-checks. */
  readonly charged: Micros;
}

interface Kept {
  readonly balance: Micros;
  readonly charged: Micros;
  readonly last: number;
}

interface Row {
  readonly id: number;
  readonly kind: EntryKind;
  readonly amount: Micros;
  readonly balance_after: Micros;
  readonly created_at: number;
}

/**
 * Adds up every entry of an account, in parts. All figures are of one moment: entries that come later are left out.
 * `toMonth` says to which month a moment belongs. Uses entries_of_account.
 */
export async function auditAccount(
  db: Queryable,
  account: AccountId,
  toMonth: (at: number) => string,
): Promise<AccountAudit> {
  const { balance, charged, last } = await readKept(db, account);
  const months = new Map<string, { totals: Partial<Record<EntryKind, Micros>>; count: number }>();
  let [sum, spent, broken]: [Micros, Micros, number] = [ZERO, ZERO, 0];
  for (let after = 0; after < last; await yieldToEventLoop()) {
    const rows = await db.all(sql<Row>`
      SELECT id, kind, amount, balance_after, created_at FROM entries
      WHERE account_id = ${account} AND id > ${after} AND id <= ${last} ORDER BY id LIMIT ${PART.rows}`);
    for (const { kind, amount, balance_after, created_at } of rows) {
      sum = sumMicros(sum, amount);
      if (balance_after !== sum) broken++;
      if (kind === 'charge' || kind === 'restore' || kind === 'refund') spent = sumMicros(spent, -amount as Micros);
      const name = toMonth(created_at);
      const month = months.get(name) ?? { totals: {}, count: 0 };
      month.totals[kind] = sumMicros(month.totals[kind] ?? ZERO, amount);
      month.count++;
      months.set(name, month);
    }
    after = rows.at(-1)?.id ?? last;
  }
  let opening: Micros = ZERO;
  const sorted = [...months]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, { totals, count }]) => {
      const before = opening;
      opening = sumMicros(before, ...Object.values(totals));
      return { month, opening: before, totals, closing: opening, count };
    });
  return { months: sorted, sum, balance, broken, spent, charged };
}

export const isSound = ({ sum, balance, broken, spent, charged }: AccountAudit): boolean =>
  sum === balance && broken === 0 && spent === charged;

/** One statement, so that all of it is of one moment. An index-check that runs is charged and counted nowhere else. */
const readKept = (db: Queryable, account: AccountId): Promise<Kept> =>
  db.one(sql<Kept>`
    SELECT a.balance, coalesce((SELECT max(e.id) FROM entries AS e WHERE e.account_id = a.id), 0) AS last,
      coalesce((SELECT sum(s.spent) FROM submission_totals AS s WHERE s.account_id = a.id), 0)
        + coalesce((SELECT sum(c.spent) FROM check_totals AS c WHERE c.account_id = a.id), 0)
        + coalesce((SELECT sum(r.charged) FROM index_checks AS r WHERE r.account_id = a.id AND r.status = 'executing'), 0)
        AS charged
    FROM accounts AS a WHERE a.id = ${account}`);
