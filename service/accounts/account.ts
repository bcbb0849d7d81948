import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { dialectal, raw, sql } from '../../src/database/sql.ts';

/** Account id, as the database has it. Never shown: it would reveal the number of accounts. */
export type AccountId = number & { readonly __brand: 'ServiceAccountId' };

/** suspended: the keys are refused until the operator resumes it. closed: permanently, including sign-in. */
export type AccountStatus = 'active' | 'suspended' | 'closed';

export interface Account {
  readonly id: AccountId;
  /** The id that customers see; it never changes. */
  readonly publicId: string;
  readonly name: string;
  readonly status: AccountStatus;
  readonly statusReason: string | null;
  readonly balance: Micros;
  readonly prices: Readonly<Record<ServiceLevel, Micros>>;
  readonly createdAt: number;
}

export interface AccountRow {
  readonly account_id: AccountId;
  readonly public_id: string;
  readonly account_name: string;
  readonly account_status: AccountStatus;
  readonly status_reason: string | null;
  readonly balance: Micros;
  readonly price_standard: Micros;
  readonly price_fast: Micros;
  readonly account_created_at: number;
}

/** The columns of an AccountRow, from `accounts AS a`. */
export const ACCOUNT_COLUMNS = raw(
  `a.id AS account_id, a.public_id, a.name AS account_name, a.status AS account_status, a.status_reason, a.balance,
   a.price_standard, a.price_fast, a.created_at AS account_created_at`,
);

export const toAccount = (row: AccountRow): Account => ({
  id: row.account_id,
  publicId: row.public_id,
  name: row.account_name,
  status: row.account_status,
  statusReason: row.status_reason,
  balance: row.balance,
  prices: { standard: row.price_standard, fast: row.price_fast },
  createdAt: row.account_created_at,
});

/** The account does not exist, or the requested operation is not possible. Nothing was changed. */
export class AccountError extends Error {
  override readonly name: string = 'AccountError';
  /** Set for errors that customers can cause: the dashboard translates it. */
  readonly code: AccountErrorCode | undefined;

  constructor(message: string, code?: AccountErrorCode) {
    super(message);
    this.code = code;
  }
}

export type AccountErrorCode =
  | 'key_name'
  | 'key_expiry'
  | 'key_limit'
  | 'key_pace'
  | 'key_not_live'
  | 'key_exists'
  | 'password_length'
  | 'password_name'
  | 'password_simple'
  | 'password_wrong'
  | 'reset_gone';

export async function findAccount(db: Queryable, name: string): Promise<Account> {
  const row = await db.get(sql<AccountRow>`SELECT ${ACCOUNT_COLUMNS} FROM accounts AS a WHERE a.name = ${name}`);
  if (row === undefined) throw new AccountError(`there is no account named "${name}"; nothing was changed`);
  return toAccount(row);
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const rows = await db.all(sql<AccountRow>`SELECT ${ACCOUNT_COLUMNS} FROM accounts AS a ORDER BY a.id`);
  return rows.map(toAccount);
}

/** An account whose row the transaction holds: its balance may be changed. */
export type LockedAccount = AccountId & { readonly __locked: true };

/**
 * The one order of locks, without which two transactions of an account deadlock on Postgres: first the account, then a
 * submission, an index-check, a key, a session or a link, then the totals (which triggers change with a submission or a
 * check). So whoever changes the balance, or reads before they write, calls this before they write anything. SQLite has
 * one writer anyway. NO KEY: a new row that belongs to the account does not wait.
 */
export async function lockAccount(tx: Queryable, account: AccountId): Promise<LockedAccount> {
  await tx.get(sql`SELECT id FROM accounts WHERE id = ${account} ${FOR_UPDATE}`);
  return account as LockedAccount;
}

/** The same for the account of a submission, or of an index-check. Undefined when there is none. */
export async function lockAccountOf(
  tx: Queryable,
  owned: { readonly submission: string } | { readonly check: string },
): Promise<LockedAccount | undefined> {
  const owner =
    'submission' in owned
      ? sql`SELECT account_id FROM submissions WHERE reference = ${owned.submission}`
      : sql`SELECT account_id FROM index_checks WHERE id = ${owned.check}`;
  const row = await tx.get(sql<{ id: LockedAccount }>`SELECT id FROM accounts WHERE id = (${owner}) ${FOR_UPDATE}`);
  return row?.id;
}

const FOR_UPDATE = dialectal(raw(''), raw('FOR NO KEY UPDATE'));

export function assertNotNegative(amount: Micros, what: string): void {
  if (amount < 0) throw new AccountError(`${what} cannot be negative; nothing was changed`);
}
