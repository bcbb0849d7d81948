import { gzipSync } from 'node:zlib';

/**
 * The test data of the crawl benchmarks, generated for each run and always the same.
 *
 * - a: 50,000 pages with lastmod and changefreq, about 9 MB
 * - b: 50,000 pages with 4 hreflang links and 2 images each, CDATA and text beyond ASCII, about 52 MB
 * - c: an index of 20 gzipped children of 50,000 pages each: 1,000,000 pages
 *
 * One loc in ten holds `&amp;`, one in twenty characters beyond ASCII, one in twenty percent-encoding.
 */
export const PAGES = 50_000;
export const CHILDREN = 20;
const HOST = 'https://www.shop.example';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** The loc of a page as it should be read. */
export function makeLoc(child: number, page: number): string {
  const path = `/category-${page % 97}/product-${child}-${page}-with-a-usual-name`;
  if (page % 10 === 3) return `${HOST}${path}?variant=${page % 7}&colour=blue`;
  if (page % 20 === 1) return `${HOST}${path}-çay-bardağı`;
  if (page % 20 === 2) return `${HOST}${path}-caf%C3%A9`;
  return `${HOST}${path}`;
}

const escaped = (loc: string) => loc.replaceAll('&', '&amp;');
const two = (n: number) => String(n).padStart(2, '0');
const makeLastmod = (page: number) =>
  `2026-${two(1 + (page % 10))}-${two(1 + (page % 28))}T${two(page % 24)}:15:00+03:00`;

function plain(child: number, page: number): string {
  const loc = escaped(makeLoc(child, page));
  return `  <url>\n    <loc>${loc}</loc>\n    <lastmod>${makeLastmod(page)}</lastmod>\n    <changefreq>weekly</changefreq>\n  </url>\n`;
}

function rich(page: number): string {
  const loc = escaped(makeLoc(0, page));
  const links = ['tr', 'en', 'de', 'fr'].map(
    (lang) =>
      `    <xhtml:link rel="alternate" hreflang="${lang}" href="${loc.replace('/category', `/${lang}/category`)}"/>\n`,
  );
  const images = [1, 2].map(
    (n) =>
      `    <image:image>\n      <image:loc>https://cdn.shop.example/i/${page}-${n}.jpg</image:loc>\n` +
      `      <image:title><![CDATA[Ürün ${page} & fotoğraf ${n}]]></image:title>\n` +
      `      <image:caption>Güzel bir ürün</image:caption>\n    </image:image>\n`,
  );
  return `  <url>\n    <loc>${loc}</loc>\n    <lastmod>${makeLastmod(page)}</lastmod>\n${links.join('')}${images.join('')}  </url>\n`;
}

const pages = (one: (page: number) => string) => Array.from({ length: PAGES }, (_, page) => one(page)).join('');

/** The files of a corpus by path, the first of them the source. `children` is for c, and for how it grows. */
export function corpus(name: 'a' | 'b' | 'c', origin: string, children = CHILDREN): Map<string, Buffer> {
  if (name === 'a') {
    return new Map([['/a.xml', Buffer.from(`${HEAD}<urlset ${NS}>\n${pages((page) => plain(0, page))}</urlset>\n`)]]);
  }
  if (name === 'b') {
    const spaces = `${NS} xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`;
    return new Map([['/b.xml', Buffer.from(`${HEAD}<urlset ${spaces}>\n${pages(rich)}</urlset>\n`)]]);
  }
  const numbers = Array.from({ length: children }, (_, child) => child);
  const entries = numbers.map((child) => `  <sitemap><loc>${origin}/c-${child}.xml.gz</loc></sitemap>\n`);
  const files = new Map([['/c.xml', Buffer.from(`${HEAD}<sitemapindex ${NS}>\n${entries.join('')}</sitemapindex>\n`)]]);
  for (const child of numbers) {
    const text = `${HEAD}<urlset ${NS}>\n${pages((page) => plain(child, page))}</urlset>\n`;
    files.set(`/c-${child}.xml.gz`, gzipSync(text, { level: 6 }));
  }
  return files;
}
