import { type Database, DatabaseUrlError } from './database.ts';
import { openPostgres, type PostgresLimits } from './postgres.ts';
import { openSqlite, type SqliteOptions } from './sqlite.ts';

/** Options of both kinds of database; each uses its own. */
export interface DatabaseOptions extends SqliteOptions {
  readonly postgres?: PostgresLimits;
}

/**
 * Opens a database by URL: `sqlite:PATH` (created when missing), `sqlite::memory:` or `postgres://…`.
 * Throws a DatabaseUrlError for any other form.
 */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length), options);
  if (/^postgres(ql)?:\/\//.test(url)) return openPostgres(url, options.postgres);
  throw new DatabaseUrlError(
    `"${url.split(':', 1)[0]}:" is not a supported database: write sqlite:PATH or postgres://…`,
  );
}
