/**
 * Text as it is compared by `q`: one form of each character, no letter case, and the four letters i of Turkish as one,
 * so that ISTANBUL, İstanbul and istanbul find each other on every database.
 */
export function searchable(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ı', 'i');
}

/** A LIKE pattern for "holds this text", with % and _ taken literally (ESCAPE '\'). */
export function containing(text: string): string {
  return `%${searchable(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
}
