import { type Micros, micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Database } from '../../src/database/database.ts';
import {
  type Account,
  AccountError,
  type AccountId,
  assertNotNegative,
  findAccount,
  insertAccount,
  listAccounts,
  setPrice,
} from './account.ts';
import { credit } from './entries.ts';
import { type ApiKey, type CreatedKey, createKey, listKeys, regenerateKey, revokeKey } from './keys.ts';
import { hashPassword, newPassword } from './passwords.ts';
import { setPassword } from './sign-in.ts';

export interface AccountToCreate {
  readonly name: string;
  readonly balance?: Micros;
  readonly price: Micros;
  /** Price of service fast; the same as `price` when absent. */
  readonly priceFast?: Micros;
}

/** What an operator can do, from the command line or from a program that embeds the service. */
export interface Administration {
  /** Adds an account, its first balance a top-up. `password` is seen this once. */
  createAccount(wanted: AccountToCreate): Promise<Account & { readonly password: string }>;
  accounts(): Promise<Account[]>;
  account(name: string): Promise<Account>;
  topUp(name: string, amount: Micros): Promise<Account>;
  setPrice(name: string, service: ServiceLevel, price: Micros): Promise<Account>;
  /** A new password for the dashboard; every session of the account ends. Seen this once. */
  resetPassword(name: string): Promise<string>;
  createKey(wanted: { readonly account: AccountId; readonly name?: string }): Promise<CreatedKey>;
  keys(account: string): Promise<ApiKey[]>;
  revokeKey(id: string): Promise<ApiKey>;
  regenerateKey(id: string): Promise<CreatedKey>;
}

export function administer(db: Database, now: () => number = Date.now): Administration {
  return {
    async createAccount({ name, balance = micros(0), price, priceFast = price }) {
      assertNotNegative(balance, 'a balance');
      const password = newPassword();
      const hashed = await hashPassword(password);
      return db.tx(async (tx) => {
        const account = await insertAccount(tx, { name, prices: { standard: price, fast: priceFast } }, now());
        await setPassword(tx, account.id, hashed);
        if (balance > 0) await credit(tx, account.id, { kind: 'top_up', amount: balance, subject: 'opening' }, now());
        return { ...account, balance, password };
      });
    },
    accounts: () => listAccounts(db),
    account: (name) => findAccount(db, name),
    async topUp(name, amount) {
      if (amount <= 0) throw new AccountError('a top-up is more than nothing; nothing was changed');
      return db.tx(async (tx) => {
        const account = await findAccount(tx, name);
        const balance = await credit(tx, account.id, { kind: 'top_up', amount, subject: 'top-up' }, now());
        return { ...account, balance };
      });
    },
    setPrice: (name, service, price) => setPrice(db, name, service, price),
    async resetPassword(name) {
      const password = newPassword();
      const hashed = await hashPassword(password);
      await db.tx(async (tx) => setPassword(tx, (await findAccount(tx, name)).id, hashed));
      return password;
    },
    createKey: ({ account, name = 'API key' }) => createKey(db, account, name, now()),
    keys: async (account) => listKeys(db, (await findAccount(db, account)).id),
    revokeKey: (id) => revokeKey(db, id, now()),
    regenerateKey: (id) => db.tx((tx) => regenerateKey(tx, id, now())),
  };
}
