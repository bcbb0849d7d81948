import { type Database, DatabaseUnavailableError } from '../database/database.ts';
import type { PostgresFailure } from '../database/postgres-failure.ts';
import { sql } from '../database/sql.ts';

/**
 * Tells whether another Postgres has taken over the ledger since the last call. A standby that is promoted, and a restore to a moment,
 * begin a timeline (PostgreSQL manual, Timelines): without synchronous replication it lacks the last transactions. False on
 * SQLite, and where the role may not read the position of the log.
 */
export function watchFailovers(db: Database): () => Promise<boolean> {
  if (db.dialect === 'sqlite') return async () => false;
  let mayRead = true;
  let last: string | null = null;
  return async () => {
    if (!mayRead) return false;
    try {
      const { timeline } = await db.one(sql<{ timeline: string }>`
        SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline`);
      const hasChanged = last !== null && timeline !== last;
      last = timeline;
      return hasChanged;
    } catch (error) {
      if (error instanceof DatabaseUnavailableError) throw error;
      mayRead = !isRefused(error);
      return false;
    }
  };
}

/** Class 42: the role lacks the privilege, or the server, which is not Postgres itself, the function. */
const isRefused = (error: unknown): boolean => /^42/.test((error as PostgresFailure).code ?? '');
