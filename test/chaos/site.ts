import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeck } from '../support/seeded.ts';

export const HOST = 'shop.example';

/** What a site may do instead of giving its sitemap. */
export const SITE_FAULTS = ['error', 'cut', 'hang', 'missing', 'html'] as const;
export type SiteFault = (typeof SITE_FAULTS)[number];

/** The pages of each watch, as its sitemaps list them now. */
export interface Site {
  readonly port: number;
  /** Replaces what a watch's sitemaps list. */
  publish(watch: string, urls: readonly string[]): void;
  pages(): ReadonlyMap<string, readonly string[]>;
  /** What was done so far, by fault. */
  readonly done: ReadonlyMap<SiteFault, number>;
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly random: () => number;
  /** Share of requests that meet a fault, 0 to 1. */
  readonly share: () => number;
  /** Sitemaps of a watch below its index; 1: the sitemap itself lists the pages. */
  readonly partsOf: (watch: string) => number;
  /** A request that hangs is cut off after this: some time before the crawler gives up, or after. */
  readonly hangMs: () => number;
}

const HONEST: SiteOptions = { random: () => 1, share: () => 0, partsOf: () => 1, hangMs: () => 0 };

/** /WATCH.xml is the sitemap of a watch, or an index of /WATCH-1.xml, /WATCH-2.xml, … */
export async function startSite({ random, share, partsOf, hangMs }: SiteOptions = HONEST): Promise<Site> {
  const pages = new Map<string, readonly string[]>();
  const done = new Map<SiteFault, number>();
  const nextFault = createDeck(random, SITE_FAULTS);
  const server = createServer((request, response) => {
    const [, watch = '', part] = /^\/([^-]+?)(?:-(\d+))?\.xml$/.exec(request.url ?? '') ?? [];
    const urls = pages.get(watch);
    if (urls === undefined) return response.writeHead(404).end();
    const parts = partsOf(watch);
    const base = `http://${request.headers.host}/${watch}`;
    const xml =
      part === undefined && parts > 1
        ? indexOf(Array.from({ length: parts }, (_, n) => `${base}-${n + 1}.xml`))
        : urlsetOf(urls.filter((_, n) => part === undefined || n % parts === Number(part) - 1));
    if (random() >= share()) return response.writeHead(200, { 'content-type': 'application/xml' }).end(xml);
    const fault = nextFault();
    done.set(fault, (done.get(fault) ?? 0) + 1);
    return spoil(fault, xml, response, hangMs());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    publish: (watch, urls) => pages.set(watch, urls),
    pages: () => pages,
    done,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function spoil(fault: SiteFault, xml: string, response: ServerResponse, hangMs: number): void {
  switch (fault) {
    case 'error':
      response.writeHead(500).end('out of memory');
      return;
    case 'missing':
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>We will be back soon.</p>');
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/xml', 'content-length': Buffer.byteLength(xml) });
      response.write(xml.slice(0, Math.floor(xml.length * 0.6)), () => response.destroy());
      return;
    case 'hang': {
      const timer = setTimeout(() => response.destroy(), hangMs);
      response.on('close', () => clearTimeout(timer));
    }
  }
}

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

const urlsetOf = (urls: readonly string[]): string =>
  `<urlset ${NAMESPACE}>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

const indexOf = (sitemaps: readonly string[]): string =>
  `<sitemapindex ${NAMESPACE}>${sitemaps.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
