import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailableError, DatabaseUrlError } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { type Difference, findDifferences } from './audit.ts';

export interface Backup {
  readonly file: string;
  readonly bytes: number;
  /** What the audit found in the copy; none in a healthy database. */
  readonly differences: readonly Difference[];
}

/** The backup cannot be made. No file was written. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/**
 * Copies a SQLite database while the service runs: all of one moment, in one file without a WAL, readable by its owner
 * only. The copy is checked and audited before it gets its name. Postgres has tools of its own for this.
 */
export async function backUp(database: string, file: string): Promise<Backup> {
  if (!database.startsWith('sqlite:')) {
    throw new DatabaseUrlError(
      'backup copies SQLite only; back up Postgres with pg_dump (docs/guides/service-operations.md)',
    );
  }
  const source = database.slice('sqlite:'.length);
  if (!existsSync(source)) throw new DatabaseUrlError(`there is no database at ${source}; nothing was written`);
  if (existsSync(file))
    throw new BackupError(`${file} already exists; nothing was written. Name a file that does not exist`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  try {
    copy(source, partial);
    const differences = await audit(partial);
    // Opening the copy may leave a WAL beside it.
    for (const rest of ['-wal', '-shm']) rmSync(partial + rest, { force: true });
    renameSync(partial, file);
    return { file, bytes: statSync(file).size, differences };
  } catch (error) {
    for (const rest of ['', '-wal', '-shm']) rmSync(partial + rest, { force: true });
    throw error;
  }
}

function copy(source: string, target: string): void {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(source, { readOnly: true, timeout: 5_000 });
    // VACUUM INTO takes an empty file: made before, nobody else can ever read it.
    writeFileSync(target, '', { mode: 0o600 });
    db.prepare('VACUUM INTO ?').run(target);
  } catch (error) {
    throw new DatabaseUnavailableError(`the SQLite file cannot be copied: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    db?.close();
  }
}

async function audit(file: string): Promise<Difference[]> {
  const checked = new DatabaseSync(file, { readOnly: true });
  const [{ integrity_check: integrity }] = checked.prepare('PRAGMA integrity_check').all() as [
    { integrity_check: string },
  ];
  checked.close();
  if (integrity !== 'ok') throw new BackupError(`the copy is damaged: ${integrity}; no file was written`);
  const db = openDatabase(`sqlite:${file}`);
  try {
    return await findDifferences(db);
  } finally {
    await db.close();
  }
}
