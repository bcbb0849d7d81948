import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailableError, DatabaseUrlError } from './database.ts';

/** A copy cannot be made or used: it is damaged, or a file is in its way. Nothing was written. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
  /** Another process uses the file. */
  readonly inUse: boolean;

  constructor(message: string, { inUse = false, ...options }: ErrorOptions & { readonly inUse?: boolean } = {}) {
    super(message, options);
    this.inUse = inUse;
  }
}

export interface Copied<T> {
  readonly bytes: number;
  readonly inspected: T;
}

/**
 * Copies a SQLite file while other processes write to it: all of one moment, in one file without a log, readable by its owner
 * only. The copy is checked, and `inspect` may open it, before it gets its name. Throws a DatabaseUrlError without such a
 * file, a CopyError where `target` exists or the copy is damaged, a DatabaseUnavailableError where it cannot be written.
 */
export async function copySqlite<T>(
  source: string,
  target: string,
  inspect: (copy: string) => Promise<T>,
): Promise<Copied<T>> {
  if (!existsSync(source)) throw new DatabaseUrlError(`there is no database at ${source}; nothing was written`);
  if (existsSync(target))
    throw new CopyError(`${target} already exists; nothing was written. Name a file that does not exist`);
  const partial = `${target}.partial`;
  const remove = (endings: readonly string[]) => {
    for (const ending of endings) rmSync(partial + ending, { force: true });
  };
  remove(['', '-wal', '-shm']);
  try {
    vacuumInto(source, partial);
    requireWhole(partial);
    const inspected = await inspect(partial);
    // Opening the copy may leave a log beside it.
    remove(['-wal', '-shm']);
    renameSync(partial, target);
    return { bytes: statSync(target).size, inspected };
  } catch (error) {
    remove(['', '-wal', '-shm']);
    throw error;
  }
}

function vacuumInto(source: string, target: string): void {
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

/** Throws a CopyError for a file that is no SQLite database, or a damaged one. */
export function requireWhole(file: string): void {
  let found: string;
  try {
    const row = readSqlite(file, (db) => db.prepare('PRAGMA integrity_check').get());
    found = String(row?.integrity_check);
  } catch (error) {
    found = (error as Error).message;
  }
  if (found !== 'ok') throw new CopyError(`${file} is damaged: ${found}; nothing was written`);
}

/** Reads a SQLite file that nobody needs to have open; nothing is written to it. */
export function readSqlite<T>(file: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}
