import { randomInt } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { sql } from '../database/sql.ts';
import type { LedgerId } from '../submission/ids.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';

/** The connector's database. Every function of this module takes it first and is idempotent. */
export interface Ledger {
  /** Created when the ledger is first opened; a copy of the database keeps it. */
  readonly id: LedgerId;
  readonly db: Database;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The secret seed of this ledger's fingerprints, written once. */
  readonly seed: number;
  close(): Promise<void>;
}

/** `courier apply` plans all or nothing: a million pages are one transaction of ten seconds and more. */
const BUSY_TIMEOUT_MS = 60_000;

/**
 * Opens a ledger by URL (`sqlite:PATH` or `postgres://…`) and brings its tables up to date. On SQLite a commit is on
 * the disk when it returns (synchronous = FULL): what a batch may cost depends on it.
 */
export async function openLedger(url: string, { now = Date.now }: { now?: () => number } = {}): Promise<Ledger> {
  const db = openDatabase(url, { synchronous: 'FULL', cacheMiB: 16, busyTimeoutMs: BUSY_TIMEOUT_MS });
  try {
    return await ledgerOver(db, now);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The same for a database that is already open. */
export async function ledgerOver(db: Database, now: () => number): Promise<Ledger> {
  await migrate(db, 'ledger', LEDGER_MIGRATIONS, now());
  const seed = await keepSetting(db, 'fingerprint_seed', () => String(randomInt(2 ** 32)));
  const id = await keepSetting(db, 'ledger_id', () => newLedgerId(randomInt(36 ** 8)));
  return { id, db, now, seed: Number(seed), close: () => db.close() };
}

/** Eight letters and digits: short enough for a list of workflows. */
const newLedgerId = (random: number): LedgerId => random.toString(36).padStart(8, '0') as LedgerId;

/** Reads a setting; the process that opens the ledger first writes it. One that is there is read without the writer's lock. */
async function keepSetting<Value extends string>(db: Database, name: string, make: () => Value): Promise<Value> {
  const query = sql<{ value: Value }>`SELECT value FROM ledger_settings WHERE name = ${name}`;
  const known = await db.get(query);
  if (known !== undefined) return known.value;
  await db.run(
    sql`INSERT INTO ledger_settings (name, value) VALUES (${name}, ${make()}) ON CONFLICT (name) DO NOTHING`,
  );
  return (await db.one(query)).value;
}
