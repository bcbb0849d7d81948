import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { freePort } from '../../temporal/free-port.ts';

/** Host of the pages. It does not exist: only the sitemaps are served, on loopback. */
export const DEMO_HOST = 'shop.example';
const ORIGIN = `https://${DEMO_HOST}`;
const PRODUCTS = 240;
const POSTS = 120;
const DOCS = 60;
/** Pages that the site publishes later: some products and a few posts. */
const NEW_PRODUCTS = 9;
const NEW_POSTS = 3;
export const NEW_PAGES = NEW_PRODUCTS + NEW_POSTS;

export interface DemoSite {
  readonly origin: string;
  readonly sitemap: string;
  readonly port: number;
  /** Adds the new pages to the sitemaps. */
  publish(): void;
  close(): Promise<void>;
}

interface File {
  readonly type: string;
  readonly body: Buffer;
}

/** A small shop: a sitemap index with a plain, a gzipped and a text child, with ETags, on loopback. */
export async function startDemoSite(options: { port?: number; published: boolean }): Promise<DemoSite> {
  let published = options.published;
  const port = await freePort(options.port);
  const origin = `http://127.0.0.1:${port}`;
  const server = createServer((request, response) => {
    const file = buildFiles(origin, published)[request.url ?? ''];
    if (file === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page\n');
      return;
    }
    const etag = `"${createHash('sha256').update(file.body).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag }).end();
      return;
    }
    response.writeHead(200, { 'content-type': file.type, 'content-length': file.body.length, etag }).end(file.body);
  });
  await listen(server, port);
  return {
    origin,
    sitemap: `${origin}/sitemap.xml`,
    port: (server.address() as AddressInfo).port,
    publish: () => {
      published = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

function buildFiles(origin: string, published: boolean): Record<string, File> {
  const products = numbered(PRODUCTS + (published ? NEW_PRODUCTS : 0)).map((n) => `${ORIGIN}/products/${n}`);
  const posts = numbered(POSTS + (published ? NEW_POSTS : 0)).map(
    (n) => `${ORIGIN}/blog/post-${n}?lang=tr&ref=${n % 7}`,
  );
  const docs = numbered(DOCS).map((n) => `${ORIGIN}/docs/page-${n}`);
  const children = ['sitemap-products.xml', 'sitemap-blog.xml.gz', 'sitemap-docs.txt'];
  return {
    '/sitemap.xml': xml(index(children.map((name) => `${origin}/${name}`))),
    '/sitemap-products.xml': xml(urlset(products)),
    '/sitemap-blog.xml.gz': { type: 'application/gzip', body: gzipSync(urlset(posts)) },
    '/sitemap-docs.txt': { type: 'text/plain; charset=utf-8', body: Buffer.from(`${docs.join('\n')}\n`) },
  };
}

const numbered = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const xml = (body: string): File => ({ type: 'application/xml', body: Buffer.from(body) });
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

function index(children: readonly string[]): string {
  const entries = children.map((loc) => `  <sitemap><loc>${loc}</loc></sitemap>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="${NAMESPACE}">\n${entries}\n</sitemapindex>\n`;
}

function urlset(locs: readonly string[]): string {
  const entries = locs
    .map((loc) => `  <url><loc>${loc.replaceAll('&', '&amp;')}</loc><lastmod>2026-11-01</lastmod></url>`)
    .join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n${entries}\n</urlset>\n`;
}
