import { randomBytes } from 'node:crypto';
import { type Micros, ZERO } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Account, AccountError, type AccountId, assertNotNegative } from './account.ts';
import { insertPrice } from './prices.ts';

export interface NewAccount {
  readonly name: string;
  readonly prices: Readonly<Record<ServiceLevel, Micros>>;
}

/**
 * Adds an account with an empty balance. Only inside a transaction. Throws an AccountError when the name is taken or
 * not valid.
 */
export async function insertAccount(tx: Queryable, { name, prices }: NewAccount, now: number): Promise<Account> {
  if (!/^[^\p{Cc}\p{Cs}]{1,120}$/u.test(name) || name.trim() !== name) {
    throw new AccountError(
      `"${name}" is not a valid account name: use 1 to 120 characters without spaces at either end`,
    );
  }
  for (const price of Object.values(prices)) assertNotNegative(price, 'a price');
  const publicId = `acc_${randomBytes(9).toString('hex')}`;
  const row = await tx.get(sql<{ id: AccountId }>`
    INSERT INTO accounts (public_id, name, price_standard, price_fast, created_at)
    VALUES (${publicId}, ${name}, ${prices.standard}, ${prices.fast}, ${now}) ON CONFLICT (name) DO NOTHING
    RETURNING id`);
  if (row === undefined) throw new AccountError(`an account named "${name}" already exists; nothing was changed`);
  await insertPrice(tx, { account: row.id, service: 'standard', price: prices.standard, reason: null }, now);
  await insertPrice(tx, { account: row.id, service: 'fast', price: prices.fast, reason: null }, now);
  const rest = { status: 'active', statusReason: null, balance: ZERO } as const;
  return { id: row.id, publicId, name, prices, createdAt: now, ...rest };
}
