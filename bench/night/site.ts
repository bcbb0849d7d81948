import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/**
 * Serves an index of 20 gzipped sitemaps of 50,000 pages, without validators, so that no answer is a 304. A line on
 * standard input publishes another version:
 *
 * - base: what the first run finds
 * - written-again: the same records in other bytes, as a generator writes them that notes the time
 * - edited: in each sitemap 1% of the pages new, 1% with a later lastmod and 1% gone
 *
 * Prints its origin once it answers, then each version once it is published. Ends with its standard input.
 */
const PAGES = 50_000;
const CHILDREN = 20;
const HOST = 'https://www.shop.example';
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

type Version = 'base' | 'written-again' | 'edited';
const two = (n: number) => String(n).padStart(2, '0');

function makeLoc(child: number, page: number): string {
  const path = `/category-${page % 97}/product-${child}-${page}-with-a-usual-name`;
  if (page % 10 === 3) return `${HOST}${path}?variant=${page % 7}&amp;colour=blue`;
  if (page % 20 === 1) return `${HOST}${path}-çay-bardağı`;
  return page % 20 === 2 ? `${HOST}${path}-caf%C3%A9` : `${HOST}${path}`;
}

function makeRecord(child: number, page: number, day: number): string {
  const lastmod = `2026-${two(1 + (page % 10))}-${two(day)}T${two(page % 24)}:15:00+03:00`;
  return `  <url>\n    <loc>${makeLoc(child, page)}</loc>\n    <lastmod>${lastmod}</lastmod>\n    <changefreq>weekly</changefreq>\n  </url>\n`;
}

function makeChild(child: number, version: Version): Buffer {
  const records: string[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const isEdited = version === 'edited';
    if (isEdited && page % 100 === 50) records.push(makeRecord(child, PAGES + page, 1));
    else records.push(makeRecord(child, page, isEdited && page % 100 === 60 ? 28 : 1 + (page % 27)));
  }
  const note = version === 'base' ? 'made on Monday' : 'made on Tuesday';
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<!-- ${note} -->\n<urlset ${NS}>\n${records.join('')}</urlset>\n`;
  return gzipSync(text, { level: 6 });
}

const files = new Map<string, Buffer>();
const made = new Map<Version, readonly Buffer[]>();

function publish(version: Version): void {
  const children = made.get(version) ?? Array.from({ length: CHILDREN }, (_, child) => makeChild(child, version));
  made.set(version, children);
  for (const [child, body] of children.entries()) files.set(`/child-${child}.xml.gz`, body);
}

const server = createServer((request, response) => {
  const body = files.get(request.url ?? '');
  if (body === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const children = Array.from(
    { length: CHILDREN },
    (_, child) => `<sitemap><loc>${origin}/child-${child}.xml.gz</loc></sitemap>`,
  );
  const index = `<?xml version="1.0"?>\n<sitemapindex ${NS}>\n${children.join('\n')}\n</sitemapindex>\n`;
  files.set('/sitemap.xml', Buffer.from(index));
  files.set('/small.xml', Buffer.from(`<urlset ${NS}>${makeRecord(0, 0, 1)}${makeRecord(0, 1, 1)}</urlset>`));
  publish('base');
  process.stdout.write(`${origin}\n`);
});
process.stdin.setEncoding('utf8').on('data', (lines: string) => {
  for (const version of lines.trim().split('\n')) {
    publish(version as Version);
    process.stdout.write(`${version}\n`);
  }
});
process.stdin.on('end', () => process.exit());
