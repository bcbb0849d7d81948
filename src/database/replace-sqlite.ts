import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makePrivate } from '../files/make-private.ts';
import { CopyError } from './copy-sqlite.ts';

/**
 * Puts a copy in the place of a SQLite file. The former file is kept under the name that is returned; null: there was none.
 * Throws a CopyError, with nothing changed, while another process has the file open.
 */
export function replaceSqlite(file: string, copy: string, at: number): string | null {
  const partial = `${file}.partial`;
  copyFileSync(copy, partial);
  makePrivate(partial);
  try {
    const kept = existsSync(file) ? moveAside(file, at) : null;
    renameSync(partial, file);
    return kept;
  } finally {
    rmSync(partial, { force: true });
  }
}

function moveAside(file: string, at: number): string {
  requireUnused(file);
  const kept = `${file}.before-${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}`;
  renameSync(file, kept);
  // Of a file that could not be read they may still hold its last writes.
  for (const ending of ['-wal', '-shm']) if (existsSync(file + ending)) renameSync(file + ending, kept + ending);
  return kept;
}

/** In WAL mode each connection holds a shared lock as long as it is open. The log is copied into the file meanwhile. */
function requireUnused(file: string): void {
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
    // A file that is no database, or is damaged, is what a copy replaces.
    if (code !== BUSY && code !== LOCKED) return;
    throw new CopyError(
      `${file} is in use, so nothing was changed. Stop every worker and every cron job of this ledger, then run the command again.`,
      { cause: error, inUse: true },
    );
  } finally {
    db.close();
  }
}

const BUSY = 5;
const LOCKED = 6;
