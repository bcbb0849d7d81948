import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

/**
 * Opens a database by URL: `sqlite:PATH` (created when missing), `sqlite::memory:` or `postgres://…`.
 * Throws a TypeError for any other form.
 */
export function openDatabase(url: string, options: SqliteOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url);
  throw new TypeError(`"${url.split(':', 1)[0]}:" is no database we know: write sqlite:PATH or postgres://…`);
}
