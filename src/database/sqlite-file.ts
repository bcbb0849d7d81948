import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DatabaseUnavailableError } from './database.ts';

const PRIVATE = 0o600;

/** Creates the file, readable by its owner only; SQLite gives the files beside it the same mode. */
export function createPrivateFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a', PRIVATE));
  } catch (cause) {
    throw new DatabaseUnavailableError(`the SQLite file cannot be used: ${(cause as Error).message}`, {
      cause,
      failure: (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? 'full' : 'file',
    });
  }
}

/** Takes the file away from every other user of the machine. It holds hashes of keys and passwords. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, PRIVATE);
  }
}

/**
 * Holds `PATH.lock` until the returned function is called or the process ends, whatever ends it: the operating system
 * releases the lock. Throws a DatabaseUnavailableError while another process holds it.
 */
export function holdFile(path: string): () => void {
  const file = `${path}.lock`;
  createPrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new DatabaseUnavailableError(
      `${path} is used by another courier-service process (it holds ${file}). Nothing was changed. ` +
        'A SQLite file is for one process: stop the other one, or use Postgres for several.',
      { cause, failure: 'file' },
    );
  }
  return () => lock.close();
}
