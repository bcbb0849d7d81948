import { DatabaseUnavailableError } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Ledger } from './open-ledger.ts';

/**
 * Writes a line to the ledger and commits it: that a full disk can be read says nothing. Null when it is written; else why not.
 * Throws what is no failure of the database.
 */
export async function probeLedger({ db, now }: Ledger): Promise<DatabaseUnavailableError | null> {
  const at = String(now());
  try {
    await db.run(sql`
      INSERT INTO ledger_settings (name, value) VALUES ('last_probe', ${at})
      ON CONFLICT (name) DO UPDATE SET value = ${at}`);
    return null;
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) return error;
    throw error;
  }
}
