import { gzipSync } from 'node:zlib';
import type { Doc, Format, Item } from './wire.ts';

interface Writing {
  readonly begin: string;
  readonly record: (item: Item) => string;
  /** Undefined: lines, which have no end of their own. */
  readonly end?: string;
  /** Read to its end or not at all. */
  readonly isWhole?: true;
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;');
const element = (name: string, text: string | null) => (text === null ? '' : `<${name}>${escapeXml(text)}</${name}>`);

const WRITINGS: Readonly<Record<Format, Writing>> = {
  urlset: {
    begin: '<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n',
    record: ({ href, date }) => `<url>${element('loc', href)}${element('lastmod', date)}</url>\n`,
    end: '</urlset>',
  },
  index: {
    begin: '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    record: ({ href }) => `<sitemap>${element('loc', href)}</sitemap>`,
    end: '</sitemapindex>',
  },
  rss: {
    begin: '<rss version="2.0"><channel>',
    record: ({ href, date }) => `<item>${element('link', href)}${element('pubDate', date)}</item>`,
    end: '</channel></rss>',
  },
  atom: {
    begin: '<feed xmlns="http://www.w3.org/2005/Atom">',
    record: ({ href, date }) => `<entry><link href="${escapeXml(href)}"/>${element('updated', date)}</entry>`,
    end: '</feed>',
  },
  text: { begin: '', record: ({ href }) => `${href}\n` },
  csv: { begin: 'loc,lastmod\n', record: ({ href, date }) => `${href},${date ?? ''}\n` },
  tsv: { begin: 'lastmod\tname\turl\n', record: ({ href, date }) => `${date ?? ''}\tä\t${href}\n` },
  'json-feed': {
    begin: '{"version":"https://jsonfeed.org/version/1.1","items":[null',
    record: ({ href, date }) => `,${JSON.stringify({ url: href, date_modified: date })}`,
    end: ']}',
    isWhole: true,
  },
};

/** Writes a document, and where each of its records ends. */
export function writeDoc(format: Format, items: readonly Item[], isPacked: boolean): Doc {
  const { begin, record, end, isWhole } = WRITINGS[format];
  let text = begin;
  const ends = items.map((item) => {
    text += record(item);
    return Buffer.byteLength(text.trimEnd()) + (end === undefined ? 1 : 0);
  });
  text += end ?? '';
  const plain = Buffer.from(text);
  // Not even where only the trailer of gzip is missing behind all of its text.
  if (isWhole) ends.fill(Number.POSITIVE_INFINITY);
  const body = isPacked ? gzipSync(plain) : plain;
  return { format, items, ends, closes: end === undefined ? null : plain.length, isPacked, body };
}
