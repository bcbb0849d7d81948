import { findLineFault } from '../../url/url-line.ts';

const URL_LINE = /^https?:\/\//i;
/** How people and programs name the column of the addresses: `loc`, `Page URL`, `final_url`, `Top pages`. */
const URL_NAME = /^([^:.<>]{0,24}[\s_-])?(loc|location|ur[il]s?|links?|href|address|adres|adresse|pages?|permalink)$/i;
const SEPARATORS = ['\t', ';', ',', '|'];
/** An address behind another column, or in quotes. */
const BEHIND = /[\t,;|] *"?https?:\/\/|^"https?:\/\//i;
/** The statuses that crawlers write beside a URL. */
const STATUS = /[,;|](200|30[12378]|40[0134]|410|429|50[0234])$/;

const isUrlLine = (line: string) => URL_LINE.test(line);

/** Whether the first line of a list only says what the others are: `loc`, then URLs. */
export const isHeadedList = ([first = '', second = '']: readonly string[]): boolean =>
  URL_NAME.test(first) && !BEHIND.test(first) && SEPARATORS.every((each) => !first.includes(each)) && isUrlLine(second);

/**
 * Whether lines are the rows of a table (CSV, TSV, the export of a program), of which none may be bought as a URL. Commas
 * and semicolons alone do not make one: URLs hold them too.
 *
 * @param lines the first lines of a text, trimmed, without empty ones and comments
 */
export function isTable(lines: readonly string[]): boolean {
  const [first] = lines;
  if (first === undefined) return false;
  if (isHeader(first) || lines.every((line) => BEHIND.test(line))) return true;
  const rows = lines.filter(isUrlLine);
  const faulty = rows.filter((line) => findLineFault(line) === 'columns' || hasTextColumn(line));
  if (faulty.length * 2 > rows.length) return true;
  const isAlike = SEPARATORS.some((separator) => haveSameColumns(rows, separator));
  if (isAlike && faulty.length > 0) return true;
  if (!isUrlLine(first) && SEPARATORS.some((separator) => haveSameColumns([first, ...rows], separator))) return true;
  const statuses = rows.flatMap((line) => STATUS.exec(line)?.[1] ?? []);
  return statuses.length === rows.length && new Set(statuses).size < rows.length;
}

/** `loc,lastmod` in any case, with any separator; `sep=;`, which Excel writes before it. */
function isHeader(line: string): boolean {
  const separator = SEPARATORS.find((each) => line.includes(each));
  if (/^sep=.?$/i.test(line)) return true;
  if (isUrlLine(line)) return false;
  const cells = line.split(separator ?? ',').map((cell) => cell.replaceAll('"', '').trim());
  return (cells.length > 1 || line.startsWith('"')) && cells.some((cell) => URL_NAME.test(cell));
}

/** White space or a quote behind a separator: a title, a date with a time. */
function hasTextColumn(line: string): boolean {
  const at = line.search(/[\t,;|]/);
  return at !== -1 && /[\s"]/.test(line.slice(at));
}

function haveSameColumns(rows: readonly string[], separator: string): boolean {
  const columns = new Set(rows.map((row) => row.split(separator).length));
  return rows.length > 1 && columns.size === 1 && !columns.has(1);
}
