import type { StatementSync } from 'node:sqlite';

/** What node:sqlite returned for a row. */
type ToRow = (row: object) => object;

/** By the names of the columns. Programs have a few hundred queries. */
const known = new Map<string, ToRow>();

const asItIs: ToRow = (row) => row;
/** `SELECT *` and `b.*`; a product as well, which costs nothing but time. */
const STAR = /\*(?!\))/;

/**
 * Has the statement return each row as an array, and returns what makes an object of it. The objects that node:sqlite makes
 * itself have a dictionary of their own each: they take twice as long to make, and longer to read. Columns that the text
 * does not name change with the table, while another process brings it up to date: these rows stay as node:sqlite makes
 * them.
 */
export function readRows(statement: StatementSync, text: string): ToRow {
  if (STAR.test(text)) return asItIs;
  statement.setReturnArrays(true);
  const names = statement.columns().map(({ name }) => name);
  const key = JSON.stringify(names);
  const toRow = known.get(key) ?? compileRow(names);
  known.set(key, toRow);
  return toRow;
}

/** All names are part of our own queries. A name that comes twice has the later value, as in node:sqlite. */
function compileRow(names: readonly string[]): ToRow {
  const fields = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as ToRow;
}
