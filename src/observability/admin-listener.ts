import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AdminListener {
  /** http://HOST:PORT */
  readonly address: string;
  close(): Promise<void>;
}

export interface AdminAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

export interface AdminPages {
  /** Whether the program can do its work: 200 or 503, and why as JSON. */
  readReadiness(): Promise<{ readonly status: number; readonly body: object }>;
  renderMetrics(): Promise<{ readonly type: string; readonly text: string }>;
  onError(error: unknown): void;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const MAX_CONNECTIONS = 100;
const JSON_TYPE = 'application/json; charset=utf-8';
const json = (status: number, value: object): Answer => ({ status, type: JSON_TYPE, text: JSON.stringify(value) });

/**
 * /metrics, /healthz and /readyz on a listener of their own: the operator sees a program also while its other connections
 * are full, and customers do not see its figures. Speaks plain HTTP without a key, so it must not be public.
 */
export async function openAdminListener({ host, port }: AdminAddress, pages: AdminPages): Promise<AdminListener> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, async (request, response) => {
    const { status, type, text } = await answer(request.method ?? '', request.url ?? '', pages).catch(
      (error: unknown): Answer => {
        pages.onError(error);
        return json(500, { status: 'error', reason: 'a defect of the program; its log says more' });
      },
    );
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ host, port });
  await once(server, 'listening');
  return { address: toAddress(server), close: () => close(server) };
}

async function answer(method: string, url: string, pages: AdminPages): Promise<Answer> {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'error', reason: 'use GET' });
  switch (url.split('?', 1)[0]) {
    case '/metrics':
      return { status: 200, ...(await pages.renderMetrics()) };
    case '/healthz':
      return json(200, { status: 'ok' });
    case '/readyz': {
      const { status, body } = await pages.readReadiness();
      return json(status, body);
    }
    default:
      return json(404, { status: 'error', reason: 'there are /metrics, /healthz and /readyz' });
  }
}

function toAddress(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
}
