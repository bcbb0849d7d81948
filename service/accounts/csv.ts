/** A cell: text, or a number as the program writes it. */
export type Cell = string | number | null;

/**
 * A CSV file (RFC 4180) in UTF-8 with a byte order mark, so that spreadsheets read Turkish letters. Text that a
 * spreadsheet would run as a formula gets an apostrophe before it.
 */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return `\uFEFF${[header, ...rows].map((row) => row.map(toCell).join(',')).join('\r\n')}\r\n`;
}

function toCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
