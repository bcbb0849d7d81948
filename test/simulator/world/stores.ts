import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { micros } from '../../../contract/money.ts';
import { administer } from '../../../service/accounts/administration.ts';
import type { CreatedKey } from '../../../service/accounts/keys.ts';
import { MIGRATIONS } from '../../../service/migrations.ts';
import type { Database } from '../../../src/database/database.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openSqlite } from '../../../src/database/sqlite.ts';
import { ledgerOver } from '../../../src/ledger/open-ledger.ts';
import { rateLimitsOver } from '../../../src/rate-limit/limiter.ts';
import { Kernel, setKernel } from '../platform/kernel.ts';

const NAMES = ['ledger', 'budgets', 'service'] as const;
type Name = (typeof NAMES)[number];

/** A folder in memory where there is one: commits cost nothing there. */
export const FOLDER = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'courier-simulator-'));
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

const toFile = (folder: string, name: string): string => join(folder, `${name}.db`);

/** The databases of one simulation. */
export interface Stores {
  /** Another one after a restore. */
  ledger: Database;
  readonly budgets: Database;
  readonly service: Database;
  /** Reads what is committed, at once and beside everyone. */
  readonly read: Record<Name, DatabaseSync>;
  /** Copies the ledger as it is committed now. */
  backUp(): void;
  /** Puts the copy in the place of the ledger, which nobody uses now. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export const ACCOUNT = 'simulated';
let templates: string | null = null;
let firstKey: CreatedKey | null = null;

/** The key that the account has at first. */
export const getFirstKey = (): CreatedKey => firstKey!;

/** Empty databases that are up to date, made once: a simulation copies them. */
async function makeTemplates(): Promise<string> {
  const folder = join(FOLDER, 'templates');
  mkdirSync(folder);
  const kernel = new Kernel(1, Date.UTC(2026, 0, 1));
  setKernel(kernel);
  const open = Object.fromEntries(NAMES.map((name) => [name, openSqlite(toFile(folder, name))])) as Record<
    Name,
    Database
  >;
  let done = false;
  const migrating = (async () => {
    await ledgerOver(open.ledger, Date.now);
    await rateLimitsOver(open.budgets);
    await migrate(open.service, 'service', MIGRATIONS, Date.now());
    done = true;
  })();
  await kernel.play(() => done);
  await migrating;
  // Hashes a password in a thread of its own: before time begins.
  const accounts = administer(open.service);
  const { id } = await accounts.createAccount({ name: ACCOUNT, price: micros(0) });
  firstKey = await accounts.createKey({ account: id, name: ACCOUNT });
  await Promise.all(NAMES.map((name) => open[name].close()));
  setKernel(null);
  return folder;
}

export async function prepareStores(): Promise<void> {
  templates ??= await makeTemplates();
}

export function openStores(name: string): Stores {
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  for (const each of NAMES) copyFileSync(toFile(templates!, each), toFile(folder, each));
  const options = { synchronous: 'NORMAL', cacheMiB: 4 } as const;
  const open = {
    ledger: openSqlite(toFile(folder, 'ledger'), options),
    budgets: openSqlite(toFile(folder, 'budgets'), options),
    service: openSqlite(toFile(folder, 'service'), { ...options, groupCommit: true }),
  };
  const read = Object.fromEntries(NAMES.map((each) => [each, new DatabaseSync(toFile(folder, each))])) as Record<
    Name,
    DatabaseSync
  >;
  const backup = toFile(folder, 'backup');
  const stores: Stores = {
    ...open,
    read,
    backUp() {
      rmSync(backup, { force: true });
      read.ledger.exec(`VACUUM INTO '${backup}'`);
    },
    async restore() {
      read.ledger.close();
      await stores.ledger.close();
      const file = toFile(folder, 'ledger');
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
      copyFileSync(backup, file);
      stores.ledger = openSqlite(file, options);
      read.ledger = new DatabaseSync(file);
    },
    async close() {
      for (const each of NAMES) read[each].close();
      await Promise.all([stores.ledger, stores.budgets, stores.service].map((each) => each.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return stores;
}
