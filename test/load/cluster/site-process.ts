/**
 * Serves the sitemaps of all watches, as a process of its own: what it takes is not what is measured. Its parent sends how
 * many pages a watch has.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeSitemap } from './pages.ts';

export interface Published {
  readonly watch: string;
  readonly pages: number;
}

const pages = new Map<string, number>();
process.on('message', (published: readonly Published[]) => {
  for (const { watch, pages: count } of published) pages.set(watch, count);
  process.send?.('published');
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  const file = writeSitemap(request.url ?? '', `http://${request.headers.host}`, pages);
  if (file === null) return response.writeHead(404).end();
  return response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': file.length }).end(file);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ type: 'listening', port })}\n`);
});
