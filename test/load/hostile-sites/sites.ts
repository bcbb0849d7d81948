import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { createGzip } from 'node:zlib';
import { resetConnection } from '../../support/reset-connection.ts';
import { NS, sitemapindex, urlset } from '../../support/sitemap/collect.ts';

/** A site that a watch reads. The good ones must be read on time, whatever the others do. */
export interface Site {
  readonly name: string;
  readonly isGood: boolean;
  readonly sitemap: string;
  close(): void;
}

const ENTRY = (path: string) => `<url><loc>https://endless.example/${path}</loc></url>`;

/** Ten ways to hurt a crawler, by name. */
const HOSTILE: Readonly<Record<string, RequestListener>> = {
  crash: (request) => request.socket.destroy(),
  hang: () => undefined,
  'hang-in-body': (_, response) => void response.writeHead(200).write(`<urlset ${NS}>`),
  drip(_, response) {
    const timer = setInterval(() => response.write(' '), 1_000);
    response.writeHead(200).on('close', () => clearInterval(timer));
  },
  bomb(_, response) {
    response.writeHead(200, { 'content-type': 'application/gzip' });
    const zip = createGzip({ level: 9 });
    const blank = Buffer.alloc(1 << 20, ' ');
    const feed = () => {
      while (!response.destroyed && zip.write(blank));
      if (!response.destroyed) zip.once('drain', feed);
    };
    zip.pipe(response);
    response.on('close', () => zip.destroy());
    zip.write(`<urlset ${NS}>`);
    feed();
  },
  'endless-index': (request, response) =>
    response.end(sitemapindex(...Array.from({ length: 20 }, (_, at) => `${request.url}/${at}`))),
  'endless-sitemap'(_, response) {
    let next = 0;
    const feed = () => {
      let isTaken = true;
      while (isTaken && !response.destroyed) {
        isTaken = response.write(Array.from({ length: 500 }, () => ENTRY(String(next++))).join(''));
      }
      if (!response.destroyed) response.once('drain', feed);
    };
    response.writeHead(200).write(`<urlset ${NS}>`);
    feed();
  },
  redirects: (request, response) =>
    response
      .writeHead(302, { location: `/sitemap.xml?${Number(request.url?.split('?')[1] ?? 0) + 1}`, 'set-cookie': 'a=1' })
      .end(),
  busy: (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
};

/** A TLS port that resets one connection and answers the next with garbage. */
function createFlappingTls(): SocketServer {
  let connections = 0;
  return createSocketServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    if (connections % 2 === 0) resetConnection(socket);
    else socket.end('\x15\x03\x01\x00\x02\x02\x50 this is no TLS');
  });
}

async function listen(server: Server | SocketServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Starts ten hostile sites and two good ones, whose sitemaps get a page more with each minute. */
export async function startSites(): Promise<Site[]> {
  const sites: Site[] = [];
  const add = async (name: string, server: Server | SocketServer, { isGood = false, scheme = 'http' } = {}) => {
    const sitemap = `${scheme}://127.0.0.1:${await listen(server)}/sitemap.xml`;
    const close = () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    };
    sites.push({ name, isGood, sitemap, close });
  };
  for (const name of ['good-one', 'good-two']) {
    const pages = () => Array.from({ length: 500 + (Math.floor(Date.now() / 60_000) % 1_000) }, (_, at) => at);
    await add(
      name,
      createServer((_, response) => response.end(urlset(...pages().map((at) => `https://${name}.example/${at}`)))),
      { isGood: true },
    );
  }
  for (const [name, listener] of Object.entries(HOSTILE)) await add(name, createServer(listener));
  await add('flapping-tls', createFlappingTls(), { scheme: 'https' });
  return sites;
}
