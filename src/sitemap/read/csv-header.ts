/** Where a table has what a sitemap has. */
export interface CsvColumns {
  readonly separator: string;
  /** Cells of a row. */
  readonly width: number;
  readonly loc: number;
  /** -1 without dates. */
  readonly lastmod: number;
}

/** A vertical line separates the cells of Markdown, too, which is no table for programs. */
const SEPARATORS = ['\t', ';', ','];

/**
 * The columns that the first line of a CSV or TSV names, in any order and case: one `loc` or `url`, and `lastmod` where it
 * has dates. Null for any other line: which of its columns is bought would be a guess. Pure.
 */
export function parseCsvHeader(line: string): CsvColumns | null {
  const separator = SEPARATORS.find((each) => line.includes(each)) ?? ',';
  const names = line.split(separator).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim()
      .toLowerCase(),
  );
  const locs = names.flatMap((name, at) => (name === 'loc' || name === 'url' ? [at] : []));
  const [loc] = locs;
  if (loc === undefined || locs.length > 1) return null;
  return { separator, width: names.length, loc, lastmod: names.indexOf('lastmod') };
}
