import type { DatabaseSync } from 'node:sqlite';
import { micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import type { CreatedKey } from '../../../service/accounts/keys.ts';
import { MIGRATIONS } from '../../../service/migrations.ts';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openSqlite, type SqliteOptions } from '../../../src/database/sqlite.ts';
import { ledgerOver } from '../../../src/ledger/open-ledger.ts';
import { rateLimitsOver } from '../../../src/rate-limit/limiter.ts';
import { Kernel, setKernel } from '../platform/kernel.ts';
import { type Connection, type Image, recordConnection } from '../platform/memory-database.ts';
import { ACCOUNT_NAMES, type AccountName, SERVICE_NAMES } from './account-names.ts';

type Name = 'ledger' | 'budgets' | 'service';

interface Store {
  readonly db: Database;
  /** Shows what is committed between two events: a transaction never lasts longer than one. */
  readonly connection: Connection;
}

/** Reads beside everyone. */
export type Reader = Pick<DatabaseSync, 'prepare' | 'serialize'>;
const toReader = (connection: Connection): Reader => ({
  prepare: (text) => connection.read(text),
  serialize: () => connection.serialize(),
});

function open(template: Image | null, options: SqliteOptions = {}): Store {
  const { result: db, connection } = recordConnection(() => openSqlite(':memory:', options), template);
  return { db, connection };
}

/** The databases of one simulation. */
export interface Stores {
  /** Another one after a restore. */
  ledger: Database;
  readonly budgets: Database;
  readonly service: Database;
  /** Reads what is committed, at once and beside everyone. */
  readonly read: Record<Name, Reader>;
  /** Copies the ledger as it is committed now. */
  backUp(): void;
  /** Puts the copy in the place of the ledger, which nobody uses now. */
  restore(): Promise<void>;
  /** Puts it there under those who use the ledger. */
  replace(): void;
  /** The service remembers no key of a job that is older: the same request would be charged again. */
  forgetKeys(before: number): void;
  close(): Promise<void>;
}

/** Ends a key that the service has forgotten. */
export const FORGOTTEN = '~forgotten';
let templates: Readonly<Record<Name, Image>> | null = null;
const firstKeys = new Map<AccountName, CreatedKey>();

/** The key that an account has at first. */
export const getFirstKey = (account: AccountName): CreatedKey => firstKeys.get(account)!;

/** Empty databases that are up to date, made once: a simulation begins with copies of them. */
async function makeTemplates(): Promise<Record<Name, Image>> {
  const kernel = new Kernel(1, Date.UTC(2026, 0, 1));
  setKernel(kernel);
  const [ledger, budgets, service] = [open(null), open(null), open(null)];
  let done = false;
  const migrating = (async () => {
    await ledgerOver(ledger.db, Date.now);
    await rateLimitsOver(budgets.db);
    await migrate(service.db, 'service', MIGRATIONS, Date.now());
    done = true;
  })();
  await kernel.play(() => done);
  await migrating;
  // Hashes a password in a thread of its own: before time begins.
  const accounts = administer(service.db);
  for (const account of ACCOUNT_NAMES) {
    const name = SERVICE_NAMES[account];
    const { id } = await accounts.createAccount({ name, price: micros(0) });
    firstKeys.set(account, await accounts.createKey({ account: id, name }));
  }
  const images = {
    ledger: ledger.connection.serialize(),
    budgets: budgets.connection.serialize(),
    service: service.connection.serialize(),
  };
  await Promise.all([ledger, budgets, service].map(({ db }) => db.close()));
  setKernel(null);
  return images;
}

export async function prepareStores(): Promise<void> {
  templates ??= await makeTemplates();
}

export function openStores(): Stores {
  const ledger = open(templates!.ledger);
  const budgets = open(templates!.budgets);
  const service = open(templates!.service, { groupCommit: true });
  const read = {
    ledger: toReader(ledger.connection),
    budgets: toReader(budgets.connection),
    service: toReader(service.connection),
  };
  let backup: Image | null = null;
  let { connection } = ledger;
  const stores: Stores = {
    ...{ ledger: ledger.db, budgets: budgets.db, service: service.db },
    read,
    backUp() {
      backup = read.ledger.serialize();
    },
    async restore() {
      const lost = stores.ledger;
      const restored = open(null);
      if (backup !== null) restored.connection.deserialize(backup);
      ({ connection } = restored);
      stores.ledger = restored.db;
      read.ledger = toReader(restored.connection);
      await lost.close();
    },
    replace() {
      if (backup !== null) connection.replace(backup);
    },
    forgetKeys(before) {
      read.service
        .prepare(
          `UPDATE submissions SET idempotency_key = idempotency_key || '${FORGOTTEN}'
           WHERE created_at < ? AND idempotency_key NOT LIKE '%${FORGOTTEN}'`,
        )
        .run(before);
    },
    async close() {
      await Promise.all([stores.ledger, stores.budgets, stores.service].map((each) => each.close()));
    },
  };
  return stores;
}
