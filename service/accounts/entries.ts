import { formatTry, type Micros, negateMicros, sumMicros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { raw, sql } from '../../src/database/sql.ts';
import type { AccountId, LockedAccount } from './account.ts';

/** A movement of the balance. Entries are appended and never changed; the balance is their sum. */
export type EntryKind = 'charge' | 'restore' | 'top_up' | 'refund' | 'adjustment';

export interface Entry {
  readonly id: number;
  readonly kind: EntryKind;
  /** Negative for a deduction. */
  readonly amount: Micros;
  readonly balance_after: Micros;
  /** What it was for: a reference, the id of an index-check, or the operator's text. */
  readonly subject: string;
  readonly created_at: number;
  /** The operator's own: an invoice, a transfer. Unique within an account. */
  readonly reference: string | null;
  readonly reason: string | null;
}

/** The columns of an Entry. */
export const ENTRY_COLUMNS = raw('id, kind, amount, balance_after, subject, created_at, reference, reason');

/** The balance does not cover the amount. Nothing was charged: the transaction must be rolled back. */
export class InsufficientBalanceError extends Error {
  override readonly name = 'InsufficientBalanceError';
}

export interface Posting {
  readonly kind: EntryKind;
  readonly amount: Micros;
  readonly subject: string;
  /** The entry that this one reverses, at most once. */
  readonly reverses?: number;
  readonly reference?: string | null;
  readonly reason?: string | null;
}

async function append(tx: Queryable, account: AccountId, posting: Posting, balanceAfter: Micros, now: number) {
  const { kind, amount, subject, reverses = null, reference = null, reason = null } = posting;
  const row = await tx.one(sql<{ id: number }>`
    INSERT INTO entries (account_id, kind, amount, balance_after, subject, reverses, reference, reason, created_at)
    VALUES (${account}, ${kind}, ${amount}, ${balanceAfter}, ${subject}, ${reverses}, ${reference}, ${reason},
      ${now}) RETURNING id`);
  return row.id;
}

/** Charges the account if the balance suffices, and returns the id of the entry. Only inside a transaction. */
export async function charge(tx: Queryable, account: LockedAccount, amount: Micros, subject: string, now: number) {
  const row = await tx.get(sql<{ balance: Micros }>`
    UPDATE accounts SET balance = balance - ${amount} WHERE id = ${account} AND balance >= ${amount} RETURNING balance`);
  if (row === undefined)
    throw new InsufficientBalanceError(`the balance does not cover ${formatTry(amount)}; nothing was charged`);
  const negative = negateMicros(amount);
  return append(tx, account, { kind: 'charge', amount: negative, subject }, row.balance, now);
}

/**
 * Adds an amount to the balance and returns the new balance, checked to stay exactly representable. A negative amount
 * that the balance does not cover throws an InsufficientBalanceError. Only inside a transaction.
 */
export async function credit(tx: Queryable, account: LockedAccount, posting: Posting, now: number): Promise<Micros> {
  const { amount } = posting;
  const row = await tx.get(sql<{ balance: Micros }>`
    UPDATE accounts SET balance = balance + ${amount} WHERE id = ${account} AND balance + ${amount} >= 0
    RETURNING balance`);
  if (row === undefined)
    throw new InsufficientBalanceError(`the balance does not cover ${formatTry(amount)}; nothing was changed`);
  const balanceAfter = sumMicros(row.balance);
  await append(tx, account, posting, balanceAfter, now);
  return balanceAfter;
}

/** The entry that carries the operator's reference. Uses entries_by_reference. */
export function findByReference(db: Queryable, account: AccountId, reference: string): Promise<Entry | undefined> {
  return db.get(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries WHERE account_id = ${account} AND reference = ${reference}`);
}

/** The newest entries of an account. Uses entries_of_account. */
export async function latestEntries(db: Queryable, account: AccountId, limit: number): Promise<Entry[]> {
  return db.all(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE account_id = ${account} ORDER BY id DESC LIMIT ${limit}`);
}
