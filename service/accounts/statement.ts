import { type Micros, sumMicros, ZERO } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';
import { ENTRY_COLUMNS, type Entry, type EntryKind } from './entries.ts';
import { entryParts, type StatementRange, skipEntries } from './entry-parts.ts';

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
  const totals: Partial<Record<EntryKind, Micros>> = {};
  let count = 0;
  for await (const part of entryParts(db, account, { from, to })) {
    const kinds = await db.all(sql<{ kind: EntryKind; total: Micros; count: number }>`
      SELECT kind, sum(amount) AS total, count(*) AS count FROM entries AS e WHERE ${part} GROUP BY kind ORDER BY kind`);
    for (const each of kinds) {
      totals[each.kind] = sumMicros(totals[each.kind] ?? ZERO, each.total);
      count += each.count;
    }
  }
  let opening = ZERO;
  for await (const part of entryParts(db, account, { from: 0, to: from })) {
    const { total } = await db.one(sql<{ total: Micros }>`
      SELECT coalesce(sum(amount), 0) AS total FROM entries AS e WHERE ${part}`);
    opening = sumMicros(opening, total);
  }
  return {
    from,
    to,
    opening,
    closing: sumMicros(opening, ...Object.values(totals)),
    totals: Object.fromEntries(Object.entries(totals).toSorted()),
    count,
  };
}

/** One page of the entries of a period, newest first. Uses entries_by_time. */
export async function listEntries(
  db: Queryable,
  account: AccountId,
  range: StatementRange,
  { limit, offset: from }: { readonly limit: number; readonly offset: number },
): Promise<Entry[]> {
  const { rest, offset } = await skipEntries(db, account, range, from);
  return db.all(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries AS e WHERE ${rest}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export async function readStatement(db: Queryable, account: AccountId, range: StatementRange): Promise<Statement> {
  const summary = await summarizeEntries(db, account, range);
  const entries: Entry[] = [];
  for await (const part of entryParts(db, account, range)) {
    const rows = await db.all(sql<Entry>`
      SELECT ${ENTRY_COLUMNS} FROM entries AS e WHERE ${part} ORDER BY e.created_at, e.id`);
    entries.push(...rows);
  }
  return { ...summary, entries };
}
