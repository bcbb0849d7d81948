/** What no URL holds unless it is encoded: white space, quotes, angle brackets, backslashes and backticks. */
const NOT_IN_URL = /[\s"<>\\`]/;
const DATE = String.raw`\d{4}[-/.]\d\d?[-/.]\d\d?(T[\d:.+Z-]*)?|\d\d?[-/.]\d\d?[-/.]\d{4}`;
const WORD = 'always|hourly|daily|weekly|monthly|yearly|never|true|false|null';
/**
 * A last column: a date, a changefreq, a priority, nothing; or a second URL in any column. The separators are characters of
 * URLs as well, so what follows them decides.
 */
const COLUMN = new RegExp(String.raw`[,;|](${DATE}|${WORD}|0[.,]\d\d?|1[.,]00?|)$|[,;|]https?:\/\/`, 'i');

/**
 * Why a line of a list is not one URL and nothing else, so that no page may be made of all of it: it holds something that
 * no URL holds (`more`), or ends in what is the next column of a table (`columns`). Null for a line that may be a URL, such
 * as `https://shop.example/a,b`. Pure.
 */
export function findLineFault(line: string): 'more' | 'columns' | null {
  if (NOT_IN_URL.test(line)) return 'more';
  return COLUMN.test(line) ? 'columns' : null;
}
