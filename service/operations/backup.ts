import { copySqlite } from '../../src/database/copy-sqlite.ts';
import { DatabaseUrlError } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { type Difference, findDifferences } from './audit.ts';

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** What the audit found in the copy; none in a healthy database. */
  readonly differences: readonly Difference[];
}

/** Copies a SQLite database while the service runs, and audits the copy. Postgres has tools of its own for this. */
export async function backUp(database: string, file: string): Promise<Backup> {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseUrlError(
      'backup copies SQLite only; back up Postgres with pg_dump (docs/guides/service-operations.md)',
    );
  }
  const { bytes, inspected } = await copySqlite(database.slice('sqlite:'.length), file, audit);
  return { file, bytes, differences: inspected };
}

async function audit(file: string): Promise<Difference[]> {
  const db = openDatabase(`sqlite:${file}`);
  try {
    return await findDifferences(db);
  } finally {
    await db.close();
  }
}
