import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFolder } from '../files/make-folder.ts';
import { DatabaseUnavailableError } from './database.ts';

const PRIVATE = 0o600;

/** Creates the file, readable by its owner only; SQLite gives the files beside it the same mode. */
export function createPrivateFile(path: string): void {
  try {
    makePrivateFolder(dirname(path));
    closeSync(openSync(path, 'a', PRIVATE));
  } catch (cause) {
    throw new DatabaseUnavailableError(`the SQLite file cannot be used: ${(cause as Error).message}`, {
      cause,
      failure: (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? 'full' : 'file',
    });
  }
}

/**
 * Returns a function that throws once the file was removed, or another one is in its place: what is written would be in no file
 * that anybody finds again.
 */
export function watchFile(path: string): () => void {
  const find = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const opened = find();
  return () => {
    const now = find();
    if (opened === undefined || (now?.ino === opened.ino && now.dev === opened.dev)) return;
    throw new DatabaseUnavailableError(
      `${path} was ${now === undefined ? 'removed' : 'replaced by another file'} while this process used it`,
      { failure: 'replaced' },
    );
  };
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
