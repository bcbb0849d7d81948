import { type Database, DatabaseUrlError } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

/**
 * Opens a database by URL: `sqlite:PATH` (created when missing), `sqlite::memory:` or `postgres://…`.
 * Throws a DatabaseUrlError for any other form.
 */
export function openDatabase(url: string, options: SqliteOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url);
  throw new DatabaseUrlError(
    `"${url.split(':', 1)[0]}:" is not a supported database: write sqlite:PATH or postgres://…`,
  );
}
