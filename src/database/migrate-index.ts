import type { Database, Queryable } from './database.ts';
import { raw, sql } from './sql.ts';

/** An index to create. */
export interface NewIndex {
  readonly name: string;
  readonly table: string;
  /** As in CREATE INDEX. */
  readonly columns: string;
  readonly where?: string;
}

/** Another program builds the index, or Postgres still does for one that has ended. */
export class IndexInProgressError extends Error {
  override readonly name = 'IndexInProgressError';
}

/** Rows that an index is built over in less time than a statement waits for. */
const SMALL_TABLE = 10_000;

/** Whether writes need not go on while the index is built. */
export async function isSmall(tx: Queryable, { table }: NewIndex): Promise<boolean> {
  const { rows } = await tx.one(sql<{ rows: number }>`
    SELECT count(*) AS rows FROM (SELECT 1 AS one FROM ${raw(table)} LIMIT ${SMALL_TABLE + 1}) AS first_rows`);
  return rows <= SMALL_TABLE;
}

/** Writes to the table wait until the transaction ends. */
export async function createInTransaction(tx: Queryable, index: NewIndex): Promise<void> {
  if ((await isValid(tx, index)) === false) await tx.run(raw(`DROP INDEX ${index.name}`));
  await tx.run(raw(toStatement(index, 'INDEX')));
}

/**
 * Builds an index without a transaction while programs write to the table. One that a crash has left unfinished is dropped and
 * built again. The connection that builds holds the lock, so Postgres frees it when it no longer builds, also for a program
 * that has ended. Nobody waits for the lock in a statement: building would wait for that statement to end.
 */
export async function buildIndex({ session }: Database, index: NewIndex): Promise<void> {
  await session?.(async (connection) => {
    const { locked } = await connection.one(sql<{ locked: boolean }>`
      SELECT pg_try_advisory_lock(hashtext('sitemap-courier-index'), hashtext(current_schema() || ${index.name})) AS locked`);
    if (!locked) throw new IndexInProgressError(`The index ${index.name} is being built`);
    const valid = await isValid(connection, index);
    if (valid === true) return;
    if (valid === false) await connection.run(raw(`DROP INDEX CONCURRENTLY ${index.name}`));
    await connection.run(raw(toStatement(index, 'INDEX CONCURRENTLY')));
  });
}

const toStatement = ({ name, table, columns, where }: NewIndex, kind: string): string =>
  `CREATE ${kind} IF NOT EXISTS ${name} ON ${table} (${columns})${where === undefined ? '' : ` WHERE ${where}`}`;

/** Whether the index is complete; null where there is none. A crash leaves one that is not, and that no query uses. */
async function isValid(db: Queryable, { name }: NewIndex): Promise<boolean | null> {
  if (db.dialect === 'sqlite') return null;
  const row = await db.get(sql<{ valid: boolean }>`
    SELECT i.indisvalid AS valid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relname = ${name} AND c.relnamespace = current_schema()::regnamespace`);
  return row?.valid ?? null;
}
