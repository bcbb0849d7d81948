import { type Database, DatabaseUnavailableError } from './database.ts';
import { sql } from './sql.ts';

/**
 * Tells whether another Postgres has taken over since the last call. A standby that is promoted, and a restore to a moment,
 * begin a timeline (PostgreSQL manual, Timelines): without synchronous replication it lacks the last transactions. False on
 * SQLite, and where the role may not read the position of the log.
 */
export function watchTimeline(db: Database): () => Promise<boolean> {
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
      mayRead = false;
      return false;
    }
  };
}
