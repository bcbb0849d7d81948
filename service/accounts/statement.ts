import { type Micros, sumMicros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';
import { ENTRY_COLUMNS, type Entry, type EntryKind } from './entries.ts';

/** From `from` until just before `to`, in epoch milliseconds. */
export interface StatementRange {
  readonly from: number;
  readonly to: number;
}

/** The balance before and after a period, and the sums of its entries. */
export interface Summary extends StatementRange {
  readonly opening: Micros;
  readonly closing: Micros;
  readonly totals: Readonly<Partial<Record<EntryKind, Micros>>>;
  readonly count: number;
}

/** A summary with every entry, oldest first. */
export interface Statement extends Summary {
  readonly entries: readonly Entry[];
}

/**
 * The opening balance is the sum of all entries before, the closing balance adds those of the stretch.
 * Uses entries_by_time.
 */
export async function summarizeEntries(
  db: Queryable,
  account: AccountId,
  { from, to }: StatementRange,
): Promise<Summary> {
  const kinds = await db.all(sql<{ kind: EntryKind; total: Micros; count: number }>`
    SELECT kind, sum(amount) AS total, count(*) AS count FROM entries
    WHERE account_id = ${account} AND created_at >= ${from} AND created_at < ${to} GROUP BY kind ORDER BY kind`);
  const { total: opening } = await db.one(sql<{ total: Micros }>`
    SELECT coalesce(sum(amount), 0) AS total FROM entries WHERE account_id = ${account} AND created_at < ${from}`);
  return {
    from,
    to,
    opening,
    closing: sumMicros(opening, ...kinds.map(({ total }) => total)),
    totals: Object.fromEntries(kinds.map(({ kind, total }) => [kind, total])),
    count: kinds.reduce((sum, { count }) => sum + count, 0),
  };
}

/** One page of the entries of a period, newest first. Uses entries_by_time. */
export function listEntries(
  db: Queryable,
  account: AccountId,
  { from, to }: StatementRange,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Entry[]> {
  return db.all(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE account_id = ${account} AND created_at >= ${from} AND created_at < ${to}
    ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export async function readStatement(db: Queryable, account: AccountId, range: StatementRange): Promise<Statement> {
  const summary = await summarizeEntries(db, account, range);
  const entries = await listEntries(db, account, range, { limit: summary.count, offset: 0 });
  return { ...summary, entries: entries.toReversed() };
}
