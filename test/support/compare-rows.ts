import { AssertionError } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Database, Queryable } from '../../src/database/database.ts';
import type { Query } from '../../src/database/sql.ts';

/** What a column holds, as a program reads it; other: bytes, or what only the reader knows. */
export type Kind = 'number' | 'string' | 'bigint' | 'null' | 'other';

/** The type that a program gives the rows of a statement: what each column may hold. */
export interface RowType {
  readonly file: string;
  readonly columns: ReadonlyMap<string, ReadonlySet<Kind>>;
}

/** By the text of the statement's template, as `toKey` makes it. */
export type RowTypes = ReadonlyMap<string, readonly RowType[]>;

export const toKey = (strings: readonly string[]): string => strings.join('\u0000');

/** The kind of a value that a database returned. */
function toKind(value: unknown): Kind {
  if (value === null) return 'null';
  const kind = typeof value;
  return kind === 'number' || kind === 'string' || kind === 'bigint' ? kind : 'other';
}

/** How a row differs from its type; empty: it does not. A column that the type leaves out is not read. */
export const compareRow = ({ file, columns }: RowType, row: Readonly<Record<string, unknown>>): readonly string[] =>
  [...columns].flatMap(([name, kinds]) => {
    if (!(name in row)) return [`${file}: no column ${name}, but ${Object.keys(row).join(', ')}`];
    const kind = toKind(row[name]);
    return kinds.has(kind) || kinds.has('other') ? [] : [`${file}: ${name} is ${kind}, not ${[...kinds].join(' or ')}`];
  });

/** So many rows of each statement are compared in a process: tests of many rows stay fast. */
const MOST_ROWS = 200;

/** The database; a row that differs from the type of its statement fails the test that asked for it. */
export function compareRows(db: Database, types: RowTypes): Database {
  const left = new Map<string, number>();
  const compare = ({ strings }: Query, rows: readonly unknown[]): void => {
    const key = toKey(strings);
    const all = types.get(key);
    if (all === undefined) return;
    const rest = left.get(key) ?? MOST_ROWS;
    left.set(key, rest - Math.min(rest, rows.length));
    for (const row of rows.slice(0, rest)) {
      const differences = all.flatMap((type) => compareRow(type, row as Record<string, unknown>));
      if (differences.length > 0) throw new AssertionError({ message: differences.join('; ') });
    }
  };
  const wrap = <Inner extends Queryable>(inner: Inner): Inner => ({
    ...inner,
    async all(query) {
      const rows = await inner.all(query);
      compare(query, rows);
      return rows;
    },
    async get(query) {
      const row = await inner.get(query);
      compare(query, row === undefined ? [] : [row]);
      return row;
    },
    async one(query) {
      const row = await inner.one(query);
      compare(query, [row]);
      return row;
    },
  });
  return { ...wrap(db), tx: (work, options) => db.tx((tx) => work(wrap(tx)), options) };
}

/** The row types that test/run.ts has written; null: it did not start this process. */
export function loadRowTypes(path = process.env.COURIER_TEST_ROW_TYPES): RowTypes | null {
  if (path === undefined) return null;
  const all = JSON.parse(readFileSync(path, 'utf8')) as [string, { file: string; columns: [string, Kind[]][] }[]][];
  return new Map(
    all.map(([key, types]) => [
      key,
      types.map(({ file, columns }) => ({
        file,
        columns: new Map(columns.map(([name, kinds]) => [name, new Set(kinds)])),
      })),
    ]),
  );
}
