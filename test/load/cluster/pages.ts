import { gzipSync } from 'node:zlib';

/** Pages of one file: a sitemap may hold 50,000. */
const PAGES_A_FILE = 25_000;
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const PAGE = /^https:\/\/(w\d+)\.example\/products\/(\d+)\/a-page-of-a-shop$/;

export const toWatchName = (index: number): string => `w${String(index).padStart(4, '0')}`;
export const toHost = (watch: string): string => `${watch}.example`;

const toPage = (watch: string, page: number): string =>
  `https://${toHost(watch)}/products/${String(page).padStart(7, '0')}/a-page-of-a-shop`;

/** The watch and the number of a page; null for an address that no sitemap here lists. */
export function parsePage(url: string): { readonly watch: string; readonly page: number } | null {
  const [, watch, page] = PAGE.exec(url) ?? [];
  return watch === undefined ? null : { watch, page: Number(page) };
}

/** How many pages each watch has: a tenth of the watches has half of all pages, as large sites beside small ones. */
export function spreadPages(urls: number, watches: number): number[] {
  const large = Math.max(1, Math.floor(watches / 10));
  const half = large === watches ? urls : Math.floor(urls / 2);
  const share = (total: number, among: number, index: number) =>
    Math.floor(total / among) + (index < total % among ? 1 : 0);
  return Array.from({ length: watches }, (_, index) =>
    index < large ? share(half, large, index) : share(urls - half, watches - large, index - large),
  );
}

/**
 * The gzipped file at a path of a site whose watches list so many pages: /WATCH.xml.gz is the sitemap, or the index of
 * /WATCH-1.xml.gz, /WATCH-2.xml.gz, … Null: there is no such file.
 */
export function writeSitemap(path: string, base: string, pages: ReadonlyMap<string, number>): Buffer | null {
  const [, watch = '', part] = /^\/(w\d+)(?:-(\d+))?\.xml\.gz$/.exec(path) ?? [];
  const total = pages.get(watch);
  if (total === undefined) return null;
  const files = Math.ceil(total / PAGES_A_FILE);
  if (part === undefined && files > 1) {
    const sitemaps = Array.from(
      { length: files },
      (_, n) => `<sitemap><loc>${base}/${watch}-${n + 1}.xml.gz</loc></sitemap>`,
    );
    return gzip(`<sitemapindex ${NAMESPACE}>${sitemaps.join('')}</sitemapindex>`);
  }
  const from = part === undefined ? 0 : (Number(part) - 1) * PAGES_A_FILE;
  const count = Math.min(PAGES_A_FILE, total - from);
  if (count < 1) return null;
  const entries = Array.from({ length: count }, (_, n) => `<url><loc>${toPage(watch, from + n)}</loc></url>`);
  return gzip(`<urlset ${NAMESPACE}>${entries.join('')}</urlset>`);
}

const gzip = (xml: string): Buffer => gzipSync(xml, { level: 1 });
