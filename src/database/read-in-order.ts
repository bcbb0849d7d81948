import type { Database, Queryable } from './database.ts';
import { type Query, raw } from './sql.ts';

/**
 * Reads a page of rows in the order of an index. A Postgres that has not counted a table since it grew expects few rows: it
 * would read all that follow and sort them, for each page of a million rows again.
 */
export async function readInOrder<Row>(db: Queryable, page: Query<Row>): Promise<Row[]> {
  if (db.dialect === 'sqlite') return db.all(page);
  return isDatabase(db) ? db.tx((tx) => readByIndex(tx, page)) : readByIndex(db, page);
}

const isDatabase = (db: Queryable): db is Database => 'tx' in db;

async function readByIndex<Row>(tx: Queryable, page: Query<Row>): Promise<Row[]> {
  await tx.run(raw('SET LOCAL enable_bitmapscan = off'));
  const rows = await tx.all(page);
  await tx.run(raw('SET LOCAL enable_bitmapscan TO DEFAULT'));
  return rows;
}
