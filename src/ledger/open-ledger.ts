import { randomInt } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { sql } from '../database/sql.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';

/** The connector's memory. Every function of this room takes it first; all of them may be called twice. */
export interface Ledger {
  readonly db: Database;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** The secret of this ledger's fingerprints, written once. */
  readonly seed: number;
  close(): Promise<void>;
}

/**
 * Opens a ledger by URL (`sqlite:PATH` or `postgres://…`) and brings its tables up to date. On SQLite a commit is on
 * the disk when it returns (synchronous = FULL): what a batch may cost depends on it.
 */
export async function openLedger(url: string, { now = Date.now }: { now?: () => number } = {}): Promise<Ledger> {
  const db = openDatabase(url, { synchronous: 'FULL', cacheMiB: 16 });
  try {
    return await ledgerOver(db, now);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The same over a database that is open already. */
export async function ledgerOver(db: Database, now: () => number): Promise<Ledger> {
  await migrate(db, 'ledger', LEDGER_MIGRATIONS, now());
  await db.run(sql`
    INSERT INTO ledger_settings (name, value) VALUES ('fingerprint_seed', ${String(randomInt(2 ** 32))})
    ON CONFLICT (name) DO NOTHING`);
  const kept = await db.one(sql<{ value: string }>`
    SELECT value FROM ledger_settings WHERE name = 'fingerprint_seed'`);
  return { db, now, seed: Number(kept.value), close: () => db.close() };
}
