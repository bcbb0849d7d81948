/**
 * Serves the sitemaps of all watches, as a process of its own: what it takes is not what is measured. Its parent sends how
 * many pages a watch has; its argument is how many milliseconds a file takes.
 */
import { createServer, type ServerResponse } from 'node:http';
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

/** A slow site sends a piece each second. Fewer bytes a second would be a site that the crawl gives up. */
const seconds = Math.round(Number(process.argv[2] ?? 0) / 1_000);
const LEAST_BYTES = 400;

function send(response: ServerResponse, file: Buffer, piece = 0): void {
  const pieces = Math.max(1, Math.min(seconds, Math.floor(file.length / LEAST_BYTES)));
  const at = (index: number) => Math.floor((file.length * index) / pieces);
  const bytes = file.subarray(at(piece), at(piece + 1));
  if (piece + 1 >= pieces) response.end(bytes);
  else response.write(bytes, () => setTimeout(send, 1_000, response, file, piece + 1));
}

const server = createServer((request, response) => {
  const file = writeSitemap(request.url ?? '', `http://${request.headers.host}`, pages);
  if (file === null) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': file.length });
  send(response, file);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ type: 'listening', port })}\n`);
});
