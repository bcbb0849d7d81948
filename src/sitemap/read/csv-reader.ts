import { CHAR } from '../../url/characters.ts';
import { findLineFault } from '../../url/url-line.ts';
import { SitemapError } from '../problems.ts';
import { BlockFeeder } from './block-feeder.ts';
import { type CsvColumns, parseCsvHeader } from './csv-header.ts';
import { INCOMPLETE } from './markup.ts';
import type { DocumentReader, Sink } from './reader.ts';

const PAGE = /^https?:\/\//i;
/** The first line that Excel writes to name the separator. The header shows it as well. */
const SEPARATOR_LINE = /^sep=.?$/i;
/** What begins like a date in any order of its parts. Anything else may be the rest of a URL with a separator in it. */
const DATE = /^\d{4}(-\d\d)?$|^\d{1,4}[-/.]\d\d?[-/.]\d{1,4}($|[T ])/;

/**
 * A table (RFC 4180, with any of three separators) whose first line names the columns. Blank rows and `#` comments are
 * ignored. A row whose cells cannot be told apart for certain is no page, and quotes that do not fit make the table
 * incomplete: they may hide rows.
 */
export class CsvReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #feeder = new BlockFeeder((block) => this.#scan(block, false));
  #columns: CsvColumns | undefined;
  /** Of the row that is being read. */
  #loc = '';
  #lastmod = '';
  #isBlank = true;
  #hasMore = false;
  #isDamaged = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(block: Buffer): void {
    this.#feeder.write(block);
  }

  end(cut: boolean): void {
    const rest = this.#feeder.end();
    // The last row of a truncated document may be half of one.
    if (!cut) this.#scan(rest, true);
  }

  /** Reads the rows that are whole in a block. Returns their length. */
  #scan(block: Buffer, last: boolean): number {
    const text = block.toString('latin1');
    let at = 0;
    while (at < text.length) {
      const next =
        this.#columns === undefined ? this.#header(text, at, last) : this.#row(this.#columns, text, at, last);
      if (next === INCOMPLETE) return at;
      at = next;
    }
    return at;
  }

  #header(text: string, from: number, last: boolean): number {
    const end = findLineEnd(text, from);
    if (end === text.length && !last) return INCOMPLETE;
    const line = text.slice(from, end).trim();
    if (line !== '' && !line.startsWith('#') && !SEPARATOR_LINE.test(line)) {
      const columns = parseCsvHeader(line);
      if (columns === null) throw new SitemapError('NOT_SITEMAP', 'the first line names no column loc or url');
      this.#columns = columns;
    }
    return end + 1;
  }

  /** Reads the row at `from`. Returns the index behind it, or INCOMPLETE. */
  #row(columns: CsvColumns, text: string, from: number, last: boolean): number {
    this.#loc = '';
    this.#lastmod = '';
    this.#isBlank = true;
    this.#hasMore = false;
    this.#isDamaged = false;
    if (text[from] === '#') {
      const end = findLineEnd(text, from);
      return end === text.length && !last ? INCOMPLETE : end + 1;
    }
    let at = from;
    for (let cell = 0; ; cell += 1) {
      at = this.#cell(columns, cell, text, at, last);
      if (at === INCOMPLETE || (at === text.length && !last)) return INCOMPLETE;
      if (text[at] !== columns.separator) break;
      at += 1;
    }
    this.#take(this.#feeder.base + from);
    return at + 1;
  }

  /** Reads a cell. Returns the index of what ends it: a separator, a line end, the end of the text. */
  #cell(columns: CsvColumns, cell: number, text: string, from: number, last: boolean): number {
    const { separator } = columns;
    if (text.charCodeAt(from) !== CHAR.quote) {
      const end = findCellEnd(text, from, separator);
      this.#keep(columns, cell, text.slice(from, end));
      return end;
    }
    let quote = text.indexOf('"', from + 1);
    while (quote !== -1 && text.charCodeAt(quote + 1) === CHAR.quote) quote = text.indexOf('"', quote + 2);
    // A quote at the end of a block may be the first of two.
    if (quote === -1 || (quote === text.length - 1 && !last)) {
      if (!last) return INCOMPLETE;
      this.#isDamaged ||= quote === -1;
    }
    const to = quote === -1 ? text.length : quote;
    this.#keep(columns, cell, text.slice(from + 1, to).replaceAll('""', '"'));
    const end = findCellEnd(text, Math.min(to + 1, text.length), separator);
    if (text.slice(to + 1, end).trim() !== '') this.#isDamaged = true;
    return end;
  }

  #keep({ width, loc, lastmod }: CsvColumns, cell: number, value: string): void {
    const text = value.trim();
    if (text === '') return;
    this.#isBlank = false;
    if (cell >= width) this.#hasMore = true;
    else if (cell === loc) this.#loc = decode(text);
    else if (cell === lastmod) this.#lastmod = decode(text);
  }

  #take(at: number): void {
    const loc = this.#loc;
    // A line end in a URL is most likely that of a row whose quote is missing.
    if (this.#isDamaged || /[\r\n]/.test(loc)) {
      this.#sink.problem('CSV_MALFORMED', 'error', 'quotes that do not fit, so rows may be missing', at);
      this.#sink.unusable();
    } else if (this.#isBlank) {
      return;
    } else if (this.#hasMore) {
      this.#refuse('a row with more cells than the header; put what holds the separator in quotes', loc, at);
    } else if (!PAGE.test(loc) || findLineFault(loc) !== null) {
      this.#refuse('a cell that is not one absolute http(s) URL and nothing else', loc, at);
    } else if (this.#lastmod !== '' && !DATE.test(this.#lastmod)) {
      this.#refuse(`a lastmod that is no date ("${this.#lastmod.slice(0, 40)}"), so the cells may be others`, loc, at);
    } else this.#sink.page(loc, this.#lastmod === '' ? null : this.#lastmod);
  }

  #refuse(why: string, loc: string, at: number): void {
    this.#sink.unusable();
    this.#sink.problem('BAD_URL', 'warning', `${why}${loc.includes('@') ? '' : `: ${loc.slice(0, 120)}`}`, at);
  }
}

const LINE_END = /[\r\n]/g;

function findLineEnd(text: string, from: number): number {
  LINE_END.lastIndex = from;
  return LINE_END.exec(text)?.index ?? text.length;
}

function findCellEnd(text: string, from: number, separator: string): number {
  const code = separator.charCodeAt(0);
  let at = from;
  for (; at < text.length; at += 1) {
    const here = text.charCodeAt(at);
    if (here === code || here === CHAR.lineFeed || here === 0x0d) break;
  }
  return at;
}

/** From the bytes of UTF-8, each as a character. */
const decode = (text: string): string => Buffer.from(text, 'latin1').toString('utf8');
