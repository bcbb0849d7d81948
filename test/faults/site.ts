import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const HOST = 'shop.example';

/** The pages of each watch, as its sitemap lists them now. */
export interface Site {
  readonly port: number;
  /** Adds pages to a watch's sitemap. */
  publish(watch: string, urls: readonly string[]): void;
  pages(): ReadonlyMap<string, readonly string[]>;
  close(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  const pages = new Map<string, string[]>();
  const server = createServer((request, response) => {
    const urls = pages.get(request.url?.slice(1).replace('.xml', '') ?? '');
    if (urls === undefined) return response.writeHead(404).end();
    const entries = urls.map((url) => `<url><loc>${url}</loc></url>`).join('');
    return response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    publish: (watch, urls) => pages.set(watch, [...(pages.get(watch) ?? []), ...urls]),
    pages: () => pages,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
