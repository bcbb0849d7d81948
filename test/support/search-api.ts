import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { BraveSettings } from '../../service/index-check/settings.ts';

/** A search API on this machine. `answer` returns whether the query is found, or a status that is not 200. */
export async function openSearchApi(
  t: TestContext,
  answer: (query: string) => Promise<boolean | number>,
): Promise<BraveSettings> {
  const server = createServer(async (request, response) => {
    const query = new URL(request.url!, 'http://search.example').searchParams.get('q')!;
    const result = await answer(query);
    if (typeof result === 'number') {
      response.writeHead(result).end();
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
