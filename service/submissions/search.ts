import { dialectal, type Query, sql } from '../../src/database/sql.ts';

/**
 * Text as it is compared by `q`: one form of each character, no letter case, and the four letters i of Turkish as one,
 * so that ISTANBUL, İstanbul and istanbul find each other on every database.
 */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ı', 'i');
}

/** The condition "this column holds the text". LIKE would take time that grows with both lengths multiplied. */
export function holdsText(column: Query, text: string): Query {
  const wanted = searchable(text);
  return sql`${dialectal(sql`instr(${column}, ${wanted})`, sql`strpos(${column}, ${wanted})`)} > 0`;
}
