import { type Micros, ZERO } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

/** Account id, as the database has it. */
export type AccountId = number & { readonly __brand: 'ServiceAccountId' };

export interface Account {
  readonly id: AccountId;
  readonly name: string;
  readonly balance: Micros;
  readonly prices: Readonly<Record<ServiceLevel, Micros>>;
  readonly createdAt: number;
}

export interface AccountRow {
  readonly account_id: AccountId;
  readonly account_name: string;
  readonly balance: Micros;
  readonly price_standard: Micros;
  readonly price_fast: Micros;
  readonly account_created_at: number;
}

export const toAccount = (row: AccountRow): Account => ({
  id: row.account_id,
  name: row.account_name,
  balance: row.balance,
  prices: { standard: row.price_standard, fast: row.price_fast },
  createdAt: row.account_created_at,
});

/** An account, or what was asked of it, does not exist or is not allowed. Nothing was changed. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

const byName = (name: string) => sql<AccountRow>`
  SELECT id AS account_id, name AS account_name, balance, price_standard, price_fast, created_at AS account_created_at
  FROM accounts WHERE name = ${name}`;

export async function findAccount(db: Queryable, name: string): Promise<Account> {
  const row = await db.get(byName(name));
  if (row === undefined) throw new AccountError(`there is no account named "${name}"; nothing was changed`);
  return toAccount(row);
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  const rows = await db.all(sql<AccountRow>`
    SELECT id AS account_id, name AS account_name, balance, price_standard, price_fast, created_at AS account_created_at
    FROM accounts ORDER BY id`);
  return rows.map(toAccount);
}

export interface NewAccount {
  readonly name: string;
  readonly prices: Readonly<Record<ServiceLevel, Micros>>;
}

/** Adds an account with an empty balance. Throws an AccountError when the name is taken or not valid. */
export async function insertAccount(db: Queryable, { name, prices }: NewAccount, now: number): Promise<Account> {
  if (!/^[^\p{Cc}\p{Cs}]{1,120}$/u.test(name) || name.trim() !== name) {
    throw new AccountError(
      `"${name}" is not a valid account name: use 1 to 120 characters without spaces at either end`,
    );
  }
  for (const price of Object.values(prices)) assertNotNegative(price, 'a price');
  const row = await db.get(sql<{ id: AccountId }>`
    INSERT INTO accounts (name, price_standard, price_fast, created_at)
    VALUES (${name}, ${prices.standard}, ${prices.fast}, ${now}) ON CONFLICT (name) DO NOTHING RETURNING id`);
  if (row === undefined) throw new AccountError(`an account named "${name}" exists already; nothing was changed`);
  return { id: row.id, name, balance: ZERO, prices, createdAt: now };
}

/** Sets the price of what is accepted from now on; accepted submissions keep theirs. */
export async function setPrice(db: Queryable, name: string, service: ServiceLevel, price: Micros): Promise<Account> {
  assertNotNegative(price, 'a price');
  const { changes } = await db.run(
    service === 'fast'
      ? sql`UPDATE accounts SET price_fast = ${price} WHERE name = ${name}`
      : sql`UPDATE accounts SET price_standard = ${price} WHERE name = ${name}`,
  );
  if (changes === 0) throw new AccountError(`there is no account named "${name}"; nothing was changed`);
  return findAccount(db, name);
}

export function assertNotNegative(amount: Micros, what: string): void {
  if (amount < 0) throw new AccountError(`${what} cannot be negative; nothing was changed`);
}
