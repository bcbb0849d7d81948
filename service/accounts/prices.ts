import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';

/** A price that holds from `created_at` until the next one of its service level. */
export interface Price {
  readonly service: ServiceLevel;
  readonly price: Micros;
  readonly reason: string | null;
  readonly created_at: number;
}

interface NewPrice {
  readonly account: AccountId;
  readonly service: ServiceLevel;
  readonly price: Micros;
  readonly reason: string | null;
}

export async function insertPrice(tx: Queryable, { account, service, price, reason }: NewPrice, now: number) {
  await tx.run(sql`
    INSERT INTO prices (account_id, service, price, reason, created_at)
    VALUES (${account}, ${service}, ${price}, ${reason}, ${now})`);
}

/** Sets the price of what is accepted from now on; accepted submissions keep theirs. Only inside a transaction. */
export async function setPrice(tx: Queryable, wanted: NewPrice, now: number): Promise<void> {
  const { account, service, price } = wanted;
  await tx.run(
    service === 'fast'
      ? sql`UPDATE accounts SET price_fast = ${price} WHERE id = ${account}`
      : sql`UPDATE accounts SET price_standard = ${price} WHERE id = ${account}`,
  );
  await insertPrice(tx, wanted, now);
}

/** Every price that an account ever had, oldest first. Uses prices_of_account. */
export function listPrices(db: Queryable, account: AccountId): Promise<Price[]> {
  return db.all(sql<Price>`
    SELECT service, price, reason, created_at FROM prices WHERE account_id = ${account} ORDER BY id`);
}
