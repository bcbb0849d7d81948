import type { Queryable } from './database.ts';
import { toBinaryArray } from './postgres-array.ts';
import { type Dialectal, join, type Query, raw, sql } from './sql.ts';

/** The columns of a bulk statement with their types, in order. */
export type Columns = Readonly<Record<string, 'text' | 'bigint'>>;
/** One row of a bulk statement, in the order of its columns. A bigint of any size is allowed. */
export type Row = readonly (string | number | bigint | null)[];

const toJson = (rows: readonly Row[]): string =>
  JSON.stringify(rows.map((row) => row.map((value) => (typeof value === 'bigint' ? String(value) : value))));

/**
 * Rows as a table with the given columns and `nr`, their number from 0: a bulk update or a long look-up in a few
 * parameters. Write `FROM ${toRows(columns, rows)} AS r` and then `r.nr`, `r.name`.
 */
export function toRows(columns: Columns, rows: readonly Row[]): Dialectal {
  let sqlite: Query | null = null;
  let postgres: Query | null = null;
  return {
    get sqlite() {
      sqlite ??= toJsonTable(columns, rows);
      return sqlite;
    },
    get postgres() {
      postgres ??= toArrayTable(columns, rows);
      return postgres;
    },
  };
}

function toJsonTable(columns: Columns, rows: readonly Row[]): Query {
  const values = Object.entries(columns).map(([name, type], at) =>
    raw(type === 'bigint' ? `CAST(value ->> ${at} AS INTEGER) AS ${name}` : `value ->> ${at} AS ${name}`),
  );
  return sql`(SELECT key AS nr, ${join(values, ', ')} FROM json_each(${toJson(rows)}))`;
}

/** One array for each column: Postgres reads them several times as fast as rows of JSON. */
function toArrayTable(columns: Columns, rows: readonly Row[]): Query {
  const arrays = Object.values(columns).map((type, at) => sql`${toBinaryArray(rows, at, type)}${raw(`::${type}[]`)}`);
  const names = raw(Object.keys(columns).join(', '));
  return sql`(SELECT ordinality - 1 AS nr, ${names}
    FROM unnest(${join(arrays, ', ')}) WITH ORDINALITY AS each(${names}, ordinality))`;
}

/** Columns that have one value in all rows of a statement. */
export interface SameInAll {
  readonly columns: Columns;
  readonly row: Row;
}

/**
 * Inserts rows; `then` is what follows the values, such as an ON CONFLICT clause. SQLite takes them one by one from a
 * prepared statement (a fifth faster than one statement with all rows), Postgres in one, in which a value that is the
 * `same` in all rows stands once. Answers how many were inserted.
 */
export async function insertRows(
  db: Queryable,
  table: string,
  columns: Columns,
  rows: readonly Row[],
  then = '',
  same: SameInAll = { columns: {}, row: [] },
): Promise<number> {
  if (rows.length === 0) return 0;
  const own = Object.keys(columns);
  const names = [...own, ...Object.keys(same.columns)];
  const into = `INSERT INTO ${table} (${names.join(', ')})`;
  if (db.dialect === 'postgres') {
    const values = Object.values(same.columns).map((type, at) => sql`${same.row[at] ?? null}${raw(`::${type}`)}`);
    const select = join([...own.map(raw), ...values], ', ');
    const inserted = await db.run(
      sql`${raw(into)} SELECT ${select} FROM ${toRows(columns, rows)} AS r ORDER BY nr ${raw(then)}`,
    );
    return inserted.changes;
  }
  const whole = same.row.length === 0 ? rows : rows.map((row) => [...row, ...same.row]);
  return (await db.runEach(oneByOne(`${into} VALUES (`, names.length, `) ${then}`), whole)).changes;
}

/** One array per text, because the compiled text is kept by the identity of its strings. */
const kept = new Map<string, Query['strings']>();

function oneByOne(head: string, columns: number, tail: string): Query['strings'] {
  const name = head + tail;
  let strings = kept.get(name);
  if (strings === undefined) {
    strings = [head, ...Array<string>(columns - 1).fill(', '), tail];
    kept.set(name, strings);
  }
  return strings;
}
