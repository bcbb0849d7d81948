import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BraveSettings } from '../../service/index-check/settings.ts';
import type { Cleanup } from './cleanup.ts';

/** What the search API answers: whether the query is found, a status that is not 200, a broken body, or nothing at all. */
export type SearchAnswer = boolean | number | 'malformed' | 'reset';

/** A search API on this machine. */
export async function openSearchApi(
  t: Cleanup,
  answer: (query: string) => Promise<SearchAnswer>,
): Promise<BraveSettings> {
  const server = createServer(async (request, response) => {
    const query = new URL(request.url!, 'http://search.example').searchParams.get('q')!;
    const result = await answer(query);
    if (typeof result === 'number') {
      response.writeHead(result).end();
      return;
    }
    if (result === 'reset') {
      request.socket.destroy();
      return;
    }
    if (result === 'malformed') {
      response.end('{"type":"search","web":');
      return;
    }
    const results = result ? [{ url: query }] : [];
    response.end(JSON.stringify({ type: 'search', web: { results } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}/search`, token: 'secret', perSecond: 1_000 };
}
