import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { corpus } from './corpora.ts';

/** Serves the corpora from memory. Prints its origin once it answers; ends with its standard input. */
const files = new Map<string, Buffer>();
const children = Number(process.argv[2] ?? 20);
const server = createServer((request, response) => {
  const body = files.get(request.url ?? '');
  if (body === undefined) response.writeHead(404).end();
  else {
    const type = request.url?.endsWith('.gz') ? 'application/gzip' : 'application/xml';
    response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
  }
});
server.listen(0, '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of ['a', 'b', 'c'] as const) {
    for (const [path, body] of corpus(name, origin, children)) files.set(path, body);
  }
  process.stdout.write(`${origin}\n`);
});
process.stdin.on('end', () => process.exit()).resume();
