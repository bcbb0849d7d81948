import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { getDayStart } from '../journal/days.ts';
import { sumClosedAfter } from '../journal/sums.ts';
import { isBookedAfter, isInDoubt } from './in-doubt.ts';

/** A balance that was read while nothing was under way: it shows each purchase up to an entry of the journal, and no other. */
export interface BalanceReading {
  /** Since then the balance has moved only as the journal says. */
  readonly since: number;
  /** When it was last asked for. */
  readonly at: number;
  readonly amount: Micros;
  /** The last entry of the journal then. */
  readonly journalId: number;
}

/**
 * Keeps a balance that was asked for, for `courier audit`. One row for each UTC day is enough where the balance is what the journal
 * makes of the one before: an audit is of whole days. Another balance begins a row of its own, which says between which two
 * readings somebody else moved it. So the table grows by a day or by such a movement, and never by a purchase.
 *
 * Only `GET /balance` is kept. The balance in an acceptance may be older than the charge.
 */
export async function keepReading(
  tx: Queryable,
  account: AccountId,
  { amount, at }: { readonly amount: Micros; readonly at: number },
): Promise<void> {
  const journalId = await findQuietEntry(tx, account, at);
  if (journalId === null) return;
  const last = await tx.get(sql<BalanceReading & { readonly id: number }>`
    SELECT id, since, at, balance AS amount, journal_id AS "journalId" FROM balance_readings
    WHERE account_id = ${account} ORDER BY id DESC LIMIT 1`);
  if (last !== undefined && getDayStart(last.at) === getDayStart(at)) {
    const spent = await sumClosedAfter(tx, account, { id: last.journalId, at: last.at });
    if (amount === micros(last.amount - spent)) {
      await tx.run(sql`
        UPDATE balance_readings SET at = ${at}, balance = ${amount}, journal_id = ${journalId} WHERE id = ${last.id}`);
      return;
    }
  }
  await tx.run(sql`
    INSERT INTO balance_readings (account_id, since, at, balance, journal_id)
    VALUES (${account}, ${at}, ${at}, ${amount}, ${journalId})`);
}

/**
 * The last entry of the journal, when a balance that was asked for at `at` shows exactly what is booked by now; null when a
 * purchase was under way meanwhile. Uses batches_in_doubt, checks_open and journal_by_account.
 */
export async function findQuietEntry(db: Queryable, account: AccountId, at: number): Promise<number | null> {
  return (await db.get(selectQuiet(account, at)))?.id ?? null;
}

export const selectQuiet = (account: AccountId, at: number) => sql<{ id: number }>`
  SELECT (SELECT coalesce(max(id), 0) FROM journal) AS id FROM ledger_accounts AS a
  WHERE a.id = ${account} AND NOT ${isBookedAfter(sql`a.id`, sql`${at}`)} AND NOT ${isInDoubt(sql`a.id`)}`;

/**
 * The readings that bound what happened in a period: the last before it, those in it. Without one before it the first in it is the
 * beginning. Uses balance_readings_by_account.
 */
export async function listReadings(
  db: Queryable,
  account: AccountId,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<BalanceReading[]> {
  return db.all(sql<BalanceReading>`
    SELECT since, at, balance AS amount, journal_id AS "journalId" FROM balance_readings
    WHERE account_id = ${account} AND at < ${until} AND id >= coalesce((
      SELECT max(id) FROM balance_readings WHERE account_id = ${account} AND at < ${from}), 0)
    ORDER BY id`);
}
