/** What a cell holds; null: nothing. */
export type Cell = string | number | null;

/**
 * Lines of CSV (RFC 4180) under the names of their columns, which are the order of the cells. A column that a line lacks is
 * empty.
 */
export function renderLines<Column extends string>(
  columns: readonly Column[],
  lines: Iterable<Partial<Readonly<Record<Column, Cell>>>>,
): string {
  const rendered = [columns.map((name) => quote(name)).join(',')];
  for (const line of lines) rendered.push(columns.map((name) => quote(line[name] ?? null)).join(','));
  return `${rendered.join('\r\n')}\r\n`;
}

/**
 * A spreadsheet runs a cell that begins with one of these as a formula: a URL or a reason could then read other cells
 * and send them. An apostrophe makes it a text.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

function quote(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
