import { type Micros, sumMicros, ZERO } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';
import { ENTRY_COLUMNS, type Entry, type EntryKind } from './entries.ts';

/** From `from` until just before `to`, in epoch milliseconds. */
export interface StatementRange {
  readonly from: number;
  readonly to: number;
}

/** Every entry of a stretch of time, oldest first, between the balance before it and the balance after it. */
export interface Statement extends StatementRange {
  readonly opening: Micros;
  readonly closing: Micros;
  readonly totals: Readonly<Partial<Record<EntryKind, Micros>>>;
  readonly entries: readonly Entry[];
}

/**
 * A statement of an account: the opening balance is the sum of all entries before, the closing balance adds those
 * listed. Uses entries_by_time.
 */
export async function readStatement(
  db: Queryable,
  account: AccountId,
  { from, to }: StatementRange,
): Promise<Statement> {
  const entries = await db.all(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE account_id = ${account} AND created_at >= ${from} AND created_at < ${to} ORDER BY id`);
  const before = await db.get(sql<{ total: Micros }>`
    SELECT coalesce(sum(amount), 0) AS total FROM entries WHERE account_id = ${account} AND created_at < ${from}`);
  const totals: Partial<Record<EntryKind, Micros>> = {};
  for (const { kind, amount } of entries) totals[kind] = sumMicros(totals[kind] ?? ZERO, amount);
  const opening = before!.total;
  return { from, to, opening, closing: sumMicros(opening, ...entries.map(({ amount }) => amount)), totals, entries };
}
