import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a path answers: a body with status 200, or whatever a function does with the response. */
export type Route = string | Buffer | ((request: IncomingMessage, response: ServerResponse) => void);

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  /** Requests in order, as `METHOD path`. */
  readonly requests: string[];
  readonly headers: IncomingMessage['headers'][];
}

/** Serves routes on loopback; a path that has none is 404. `routes` may need to know the origin. */
export async function serve(
  routes: Record<string, Route> | ((origin: string) => Record<string, Route>),
): Promise<TestServer> {
  const requests: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let table: Record<string, Route> = {};
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const route = table[request.url ?? ''] ?? table[(request.url ?? '').split('?', 1)[0]!];
    if (route === undefined) response.writeHead(404).end('not here');
    else if (typeof route === 'function') route(request, response);
    else response.writeHead(200).end(route);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  table = typeof routes === 'function' ? routes(origin) : routes;
  return {
    origin,
    requests,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
