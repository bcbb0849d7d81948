import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { NS, type ReadResult, readBytes } from '../../../test/support/sitemap/collect.ts';
import { getStart } from '../../url/version.ts';
import type { SitemapKind } from '../events.ts';
import { FORMATS } from './formats.ts';

/** How one kind of document is written; what every reader promises is tested of each. A kind without its entry does not compile. */
interface Written {
  /** Names its pages (with a date for each where the format has dates) or sitemaps in this order. */
  write(locs: readonly string[], date: string): string;
  /** What it names. */
  readonly names: 'pages' | 'sitemaps';
  /** The date as the format writes it; null for one without dates. */
  readonly date: string | null;
  readonly path: string;
  /** How a record that is read to its end becomes known where the document breaks off; false: as a whole only. */
  readonly isReadInPart: boolean;
  /** As the format writes an ampersand. */
  readonly ampersand: string;
}

const DATE = '2024-03-01T10:00:00Z';
const xml = { ampersand: '&amp;', isReadInPart: true, path: '/s.xml' };
const plain = { ampersand: '&', isReadInPart: true };
const each = (locs: readonly string[], one: (loc: string) => string) => locs.map(one).join('\n');

const WRITTEN: Readonly<Record<SitemapKind, Written>> = {
  urlset: {
    ...xml,
    names: 'pages',
    date: DATE,
    write: (locs, date) =>
      `<?xml version="1.0"?>\n<urlset ${NS}>${each(locs, (loc) => `<url><loc>${loc}</loc><lastmod>${date}</lastmod></url>`)}</urlset>`,
  },
  index: {
    ...xml,
    names: 'sitemaps',
    date: null,
    write: (locs) =>
      `<sitemapindex ${NS}>${each(locs, (loc) => `<sitemap><loc>${loc}</loc></sitemap>`)}</sitemapindex>`,
  },
  rss: {
    ...xml,
    names: 'pages',
    date: 'Fri, 01 Mar 2024 10:00:00 GMT',
    write: (locs, date) =>
      `<rss version="2.0"><channel>${each(locs, (loc) => `<item><link>${loc}</link><pubDate>${date}</pubDate></item>`)}</channel></rss>`,
  },
  atom: {
    ...xml,
    names: 'pages',
    date: DATE,
    write: (locs, date) =>
      `<feed xmlns="http://www.w3.org/2005/Atom">${each(locs, (loc) => `<entry><link href="${loc}"/><updated>${date}</updated></entry>`)}</feed>`,
  },
  'json-feed': {
    ...plain,
    names: 'pages',
    date: DATE,
    isReadInPart: false,
    path: '/feed.json',
    write: (locs, date) =>
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        items: locs.map((url) => ({ id: url, url, date_modified: date })),
      }),
  },
  text: { ...plain, names: 'pages', date: null, path: '/s.txt', write: (locs) => `${locs.join('\n')}\n` },
  csv: {
    ...plain,
    names: 'pages',
    date: DATE,
    path: '/s.csv',
    write: (locs, date) => `loc,lastmod\n${each(locs, (loc) => `"${loc}",${date}`)}\n`,
  },
  robots: {
    ...plain,
    names: 'sitemaps',
    date: null,
    path: '/robots.txt',
    write: (locs) => `User-agent: *\nDisallow:\n${each(locs, (loc) => `Sitemap: ${loc}`)}\n`,
  },
};

const HOST = 'https://shop.example';
const LOCS = [`${HOST}/a`, `${HOST}/çay-bardağı`, `${HOST}/%C3%A7?b=2&a=1`, `${HOST}/b,c;d|e`, `${HOST}/a`];
const NORMAL = LOCS.map((loc) => new URL(loc).href);

for (const [kind, { write, names, date, path, isReadInPart, ampersand }] of Object.entries(WRITTEN)) {
  const { hasEnd } = FORMATS[kind as SitemapKind];
  const make = (locs: readonly string[]) =>
    write(
      locs.map((loc) => loc.replaceAll('&', ampersand)),
      date ?? '',
    );
  /** The URLs that it names; a sitemap that is named twice is one. */
  const found = ({ entries, children }: ReadResult) =>
    names === 'pages' ? entries.flatMap(({ url }) => url ?? []) : children;
  const wanted = (urls: readonly string[]) => (names === 'pages' ? urls : [...new Set(urls)]);
  const errors = ({ codes }: ReadResult) => codes.filter((code) => code.startsWith('error'));

  describe(`a document of the kind ${kind}`, () => {
    const document = Buffer.from(make(LOCS));
    const utf16 = Buffer.from(`\uFEFF${make(LOCS)}`, 'utf16le');
    const forms: Readonly<Record<string, readonly [Buffer, { contentEncoding?: string }?]>> = {
      'as it is': [document],
      'with a byte order mark': [Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), document])],
      'in UTF-16': [utf16],
      'in gzip': [gzipSync(document)],
      'in brotli': [brotliCompressSync(document), { contentEncoding: 'br' }],
      'in zstd': [zstdCompressSync(document), { contentEncoding: 'zstd' }],
    };
    for (const [form, [bytes, setup]] of Object.entries(forms)) {
      test(`has the same records, ${form}, whatever the size of a read`, async () => {
        for (const chunk of [1 << 20, 64, 1]) {
          const got = await readBytes(bytes, { ...setup, path, chunk });
          assert.deepEqual([found(got), got.codes], [wanted(NORMAL), []], String(chunk));
        }
      });
    }

    test('has the date of each page, if the format has dates', { skip: names === 'sitemaps' }, async () => {
      const { entries } = await readBytes(document, { path });
      const dates = new Set(entries.map(({ lastmod, version }) => `${lastmod} ${version && getStart(version)}`));
      assert.deepEqual([...dates], [`${date} ${date === null ? null : Date.parse(DATE)}`]);
    });

    test('that breaks off at any byte has whole records only, and an error unless nothing shows its end', async () => {
      const pages = Array.from({ length: 5 }, (_, n) => `${HOST}/page-${n}`);
      const whole = Buffer.from(make(pages));
      let most = 0;
      for (let cut = 1; cut < whole.length - 1; cut += 1) {
        const got = await readBytes(whole.subarray(0, cut), { path });
        const urls = found(got);
        // Of lines, the last may be half of one: sitemap-fetch.ts reads them twice where nothing shows their end.
        const sure = hasEnd ? urls : urls.slice(0, -1);
        assert.deepEqual(sure, pages.slice(0, sure.length), `${cut} bytes`);
        if (hasEnd) assert.notDeepEqual(errors(got), [], `${cut} bytes`);
        most = Math.max(most, sure.length);
      }
      assert.equal(most > 0, isReadInPart);
    });

    test('with a record that cannot be used has all the others, and says so', async () => {
      for (const bad of [
        'https://u:secret@shop.example/',
        `${HOST}/&#8217;s`,
        'mailto:x@shop.example',
        'www.shop.example/x',
      ]) {
        const got = await readBytes(make([`${HOST}/a`, bad, `${HOST}/b`]), { path });
        assert.deepEqual(found(got), [`${HOST}/a`, `${HOST}/b`], bad);
        assert.deepEqual(got.codes, [names === 'pages' ? 'warning BAD_URL' : 'error BAD_URL'], bad);
        assert.doesNotMatch(JSON.stringify(got.problems), /secret/);
      }
    });

    test('without any usable record is never complete', async () => {
      const got = await readBytes(make(['https://u:secret@shop.example/', 'mailto:x@shop.example']), { path });
      assert.deepEqual([found(got), errors(got).length > 0], [[], true]);
    });

    test('of many records needs no more than one pass', async () => {
      const pages = Array.from({ length: 20_000 }, (_, n) => `${HOST}/page-${n}`);
      const got = await readBytes(make(pages), { path, chunk: 4_096 });
      assert.deepEqual([found(got).length, got.codes], [20_000, []]);
    });
  });
}
