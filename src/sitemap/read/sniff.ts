import type { SitemapKind } from '../events.ts';
import { SitemapError } from '../problems.ts';
import { parseCsvHeader } from './csv-header.ts';
import { JSON_FEED_VERSION } from './json-feed-reader.ts';
import { isHeadedList, isTable } from './table.ts';

/** The most that may stand before the root element. */
export const SNIFF_LIMIT = 512 * 1024;

export interface Sniffed {
  readonly kind: SitemapKind;
  /** Bytes before the document, mostly the error messages of a program. */
  readonly skip: number;
}

const ROOTS: Readonly<Record<string, SitemapKind>> = {
  urlset: 'urlset',
  url: 'urlset',
  sitemapindex: 'index',
  sitemap: 'index',
  rss: 'rss',
  rdf: 'rss',
  feed: 'atom',
};
/** Elements of the error messages that programs print before a document. */
const NOISE = /^(br|b|p|div|font|pre|script|style|table|strong|span|center|hr|small)$/;
const ROBOTS_LINE = /^(user-agent|sitemap|disallow|allow|host|crawl-delay|clean-param|noindex|request-rate)\s*:/i;

/**
 * Finds the kind of a document by its first bytes only, because names, extensions and content types are often wrong.
 * Returns 'more' when they do not show it yet. Throws EMPTY or NOT_SITEMAP.
 *
 * @param text the beginning in Latin-1, without a byte order mark
 * @param last whether the text is the whole document
 * @param isRobots the source is called robots.txt, so a text without a known line is one as well
 */
export function sniff(text: string, last: boolean, isRobots: boolean): Sniffed | 'more' {
  const start = text.search(/[^\s\0]/);
  if (start === -1) {
    if (last) throw new SitemapError('EMPTY', 'the document is empty');
    return 'more';
  }
  if (text[start] !== '<') {
    const plain = sniffText(text.slice(start), last, isRobots);
    if (plain !== undefined)
      return plain === 'more' ? atMost(text, 'none of its lines is a URL') : { kind: plain, skip: 0 };
  }
  return sniffXml(text, start, last);
}

function atMost(text: string, otherwise: string): 'more' {
  if (text.length < SNIFF_LIMIT) return 'more';
  throw new SitemapError('NOT_SITEMAP', otherwise);
}

/** A kind, 'more', or undefined for what may be XML with something before it. */
function sniffText(text: string, last: boolean, isRobots: boolean): SitemapKind | 'more' | undefined {
  if (/^(\{\s*["}]|\[\s*["{[\]])/.test(text)) return sniffJson(text, last);
  if (/^(%PDF-|PK\x03\x04|\x89PNG|GIF8|\xff\xd8\xff|\xd0\xcf\x11\xe0)/.test(text))
    throw new SitemapError('NOT_SITEMAP', 'the document is binary');
  if (isRobots) return 'robots';
  // RTF may hold a sitemap in XML. Its lines end in markup and never are those of a list.
  if (text.startsWith('{\\rtf')) return undefined;
  const lines = text.split(/[\r\n]+/);
  if (!last) lines.pop();
  const stated = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const [first] = stated;
  if (first === undefined) return last ? undefined : 'more';
  if (ROBOTS_LINE.test(first)) return 'robots';
  const isList = URL_LINE.test(first);
  if (!isList && text.includes('<')) return undefined;
  // Always the same lines decide, whatever the size of a network read.
  if (!last && stated.length < SAMPLE && text.length < SNIFF_LIMIT / 2) return 'more';
  const sample = stated.slice(0, SAMPLE);
  if (isTable(sample)) {
    const header = sample.find((line) => !/^sep=.?$/i.test(line));
    if (header === undefined || parseCsvHeader(header) === null) throw new SitemapError('NOT_SITEMAP', TABLE);
    return 'csv';
  }
  if (isList || isHeadedList(sample)) return 'text';
  return last && stated.some((line) => URL_LINE.test(line)) ? 'text' : undefined;
}

const URL_LINE = /^https?:\/\//i;
/** Lines that show whether a text is a list of URLs or a table. */
const SAMPLE = 20;

const TABLE =
  'the document is a table (CSV) whose first line does not name one column loc or url, so nothing of it is read. Name the column of the URLs so, and that of the dates lastmod; or keep only the URLs: one URL a line, without quotes';

function sniffJson(text: string, last: boolean): SitemapKind | 'more' {
  if (text.startsWith('{') && JSON_FEED_VERSION.test(text.slice(0, SNIFF_LIMIT))) return 'json-feed';
  if (!last && text.startsWith('{') && text.length < SNIFF_LIMIT) return 'more';
  throw new SitemapError('NOT_SITEMAP', 'the document is JSON');
}

function sniffXml(text: string, start: number, last: boolean): Sniffed | 'more' {
  const root = rootName(text, start);
  if (root === undefined) {
    if (!last) return atMost(text, 'it has no element of a sitemap');
    throw new SitemapError(
      'NOT_SITEMAP',
      `it is not a sitemap; it begins with "${toPrintable(text.slice(start, start + 40))}"`,
    );
  }
  const kind = Object.hasOwn(ROOTS, root.name) ? ROOTS[root.name] : undefined;
  if (kind !== undefined) return { kind, skip: 0 };
  if (root.name === 'html') throw new SitemapError('NOT_SITEMAP', 'the document is an HTML page');
  if (NOISE.test(root.name)) {
    const document = /<\?xml\s|<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]/i.exec(text.slice(root.at));
    if (document !== null) {
      const skip = root.at + document.index;
      const found = sniffXml(text.slice(skip), 0, last);
      return found === 'more' ? 'more' : { kind: found.kind, skip: skip + found.skip };
    }
    if (!last && text.length < SNIFF_LIMIT) return 'more';
  }
  throw new SitemapError('NOT_SITEMAP', `the root element is <${toPrintable(root.name)}>`);
}

const toPrintable = (text: string) => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 60);

/** The local name of the first element, in lower case; undefined when it is not here (yet). */
function rootName(text: string, from: number): { readonly name: string; readonly at: number } | undefined {
  let at = text.indexOf('<', from);
  while (at !== -1) {
    const name = NAME.exec(text.slice(at, at + 200))?.[1];
    if (name !== undefined) return { name: name.toLowerCase(), at };
    at = text.indexOf('<', afterMarkup(text, at));
  }
  return undefined;
}

/** A tag with its prefix. A byte beyond ASCII is part of a letter. */
const NAME = /^<(?:[A-Za-z_\x80-\xff][\w.\-\x80-\xff]*:)?([A-Za-z_][\w.-]*)(?=[\s/>])/;

function afterMarkup(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return findEnd('-->', text, at + 4);
  if (text.startsWith('<?', at)) return findEnd('?>', text, at + 2);
  if (/^<!doctype/i.test(text.slice(at, at + 9))) {
    if (/^<!doctype\s+html/i.test(text.slice(at, at + 60)))
      throw new SitemapError('NOT_SITEMAP', 'the document is an HTML page');
    return doctypeEnd(text, at);
  }
  return at + 1;
}

function findEnd(mark: string, text: string, from: number): number {
  const end = text.indexOf(mark, from);
  return end === -1 ? text.length : end + mark.length;
}

function doctypeEnd(text: string, at: number): number {
  const subset = text.indexOf('[', at);
  const end = text.indexOf('>', at);
  if (subset === -1 || (end !== -1 && end < subset)) return end === -1 ? text.length : end + 1;
  if (/<!ENTITY/i.test(text.slice(subset))) {
    throw new SitemapError('DOCTYPE_FORBIDDEN', 'the document declares entities; nothing of it was read');
  }
  return findEnd(']', text, subset);
}
