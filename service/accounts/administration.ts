import { type Micros, micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { type Account, type AccountId, assertNotNegative, findAccount, listAccounts, lockAccount } from './account.ts';
import {
  type AuditEvent,
  type AuditEventName,
  eventsAfter,
  latestEvents,
  OPERATOR,
  type Operator,
  recordEvent,
} from './audit-events.ts';
import { credit } from './entries.ts';
import type { StatementRange } from './entry-parts.ts';
import { insertAccount } from './insert-account.ts';
import {
  type ApiKey,
  type CreatedKey,
  createKey,
  type KeyToRegenerate,
  listKeys,
  regenerateKey,
  revokeKey,
} from './keys.ts';
import { hashPassword, newPassword } from './passwords.ts';
import { listPrices, type Price, setPrice } from './prices.ts';
import { createReset, setPassword } from './sign-in.ts';
import { readStatement, type Statement } from './statement.ts';
import { closeAccount, resumeAccount, suspendAccount } from './status.ts';
import { adjustBalance, assertText, type Moved, type Movement, topUp } from './top-up.ts';

export interface AccountToCreate {
  readonly name: string;
  readonly balance?: Micros;
  readonly price: Micros;
  /** Price of service fast; the same as `price` when absent. */
  readonly priceFast?: Micros;
}

export type Administration = ReturnType<typeof administer>;

/** Account administration, for the command line or a program that embeds the service. */
export function administer(db: Database, now: () => number = Date.now, by: Operator = OPERATOR) {
  const record = (
    tx: Queryable,
    account: AccountId,
    event: AuditEventName,
    details: AuditEvent['details'] = {},
  ): Promise<void> => recordEvent(tx, { account, event, actor: by, details }, now());

  const move = (name: string, kind: 'top_up' | 'adjustment', movement: Movement): Promise<Moved> =>
    db.tx(async (tx) => {
      const account = await findAccount(tx, name);
      if (kind === 'top_up') return topUp(tx, account, movement, now(), by);
      return adjustBalance(tx, account, { reason: '', reference: '', ...movement }, now(), by);
    });

  return {
    /** Adds an account, its first balance a top-up. `password` is returned this once. */
    async createAccount(wanted: AccountToCreate): Promise<Account & { readonly password: string }> {
      const { name, balance = micros(0), price, priceFast = price } = wanted;
      assertNotNegative(balance, 'a balance');
      const password = newPassword();
      const hashed = await hashPassword(password);
      return db.tx(async (tx) => {
        const account = await insertAccount(tx, { name, prices: { standard: price, fast: priceFast } }, now());
        const locked = await lockAccount(tx, account.id);
        await setPassword(tx, locked, hashed);
        if (balance > 0) await credit(tx, locked, { kind: 'top_up', amount: balance, subject: 'opening' }, now());
        await record(tx, account.id, 'account.created', { balance_micros: balance });
        return { ...account, balance, password };
      });
    },
    accounts: (): Promise<Account[]> => listAccounts(db),
    account: (name: string): Promise<Account> => findAccount(db, name),
    /** Adds a payment to the balance. A reference that was used before changes nothing. */
    topUp: async (name: string, amount: Micros, more: Omit<Movement, 'amount'> = {}) =>
      (await move(name, 'top_up', { amount, ...more })).account,
    /** The same, and whether the reference had been used before. */
    move,
    async setPrice(name: string, service: ServiceLevel, price: Micros, reason?: string): Promise<Account> {
      assertNotNegative(price, 'a price');
      if (reason !== undefined) assertText(reason);
      return db.tx(async (tx) => {
        const { id, prices } = await findAccount(tx, name);
        await setPrice(tx, { account: id, service, price, reason: reason ?? null }, now());
        const details = { service, price_micros: price, before_micros: prices[service], reason: reason ?? null };
        await record(tx, id, 'price.changed', details);
        return findAccount(tx, name);
      });
    },
    prices: async (name: string): Promise<Price[]> => listPrices(db, (await findAccount(db, name)).id),
    statement: async (name: string, range: StatementRange): Promise<Statement> =>
      readStatement(db, (await findAccount(db, name)).id, range),
    suspend: (name: string, reason: string): Promise<Account> =>
      db.tx(async (tx) => {
        assertText(reason);
        const account = await suspendAccount(tx, name, reason);
        await record(tx, account.id, 'account.suspended', { reason });
        return account;
      }),
    resume: (name: string): Promise<Account> =>
      db.tx(async (tx) => {
        const account = await resumeAccount(tx, name);
        await record(tx, account.id, 'account.resumed');
        return account;
      }),
    close: (name: string, reason: string): Promise<Account> =>
      db.tx(async (tx) => {
        assertText(reason);
        const account = await closeAccount(tx, name, reason, now());
        await record(tx, account.id, 'account.closed', { reason });
        return account;
      }),
    events: async (name: string, limit: number): Promise<AuditEvent[]> =>
      latestEvents(db, (await findAccount(db, name)).id, limit),
    /** The events of all accounts after an id, oldest first. */
    eventsAfter: (id: number, limit: number): Promise<AuditEvent[]> => eventsAfter(db, id, limit),
    /** A new password for the dashboard; every session of the account ends. Returned this once. */
    async resetPassword(name: string): Promise<string> {
      const password = newPassword();
      const hashed = await hashPassword(password);
      await db.tx(async (tx) => {
        const { id } = await findAccount(tx, name);
        await setPassword(tx, id, hashed);
        await record(tx, id, 'password.reset');
      });
      return password;
    },
    /** The token of a link with which the customer sets a password: it works once, for a day. */
    createReset: (name: string): Promise<string> =>
      db.tx(async (tx) => {
        const { id } = await findAccount(tx, name);
        await record(tx, id, 'password.reset_link_created');
        return createReset(tx, id, now());
      }),
    createKey: ({ account, name = 'API key' }: { readonly account: AccountId; readonly name?: string }) =>
      db.tx(async (tx) => {
        const key = await createKey(tx, { account, name }, now());
        await record(tx, account, 'key.created', { key: key.id, name });
        return key;
      }),
    keys: async (account: string): Promise<ApiKey[]> => listKeys(db, (await findAccount(db, account)).id),
    revokeKey: (id: string): Promise<ApiKey> =>
      db.tx(async (tx) => {
        const key = await revokeKey(tx, id, now());
        await record(tx, key.account, 'key.revoked', { key: id, name: key.name });
        return key;
      }),
    regenerateKey: (id: string, { graceMs = 0 }: Pick<KeyToRegenerate, 'graceMs'> = {}): Promise<CreatedKey> =>
      db.tx(async (tx) => {
        const key = await regenerateKey(tx, { id, graceMs }, now());
        await record(tx, key.account, 'key.regenerated', { key: id, new_key: key.id, name: key.name });
        return key;
      }),
  };
}
