import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
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
  /** Answers a POST below /runs/; absent: there is none. */
  readonly answerPost?: (post: Post) => Promise<PostAnswer>;
  onError(error: unknown): void;
}

export interface Post {
  /** Without its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface PostAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A webhook of a deployment is some kilobytes. */
const MOST_BYTES = 256 * 1024;

/** The first value of a header. */
export const getFirst = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

const MAX_CONNECTIONS = 100;
const JSON_TYPE = 'application/json; charset=utf-8';
const json = (status: number, value: object): Answer => ({ status, type: JSON_TYPE, text: JSON.stringify(value) });

/**
 * /metrics, /healthz and /readyz on a listener of their own: the operator sees a program also while its other connections
 * are full, and customers do not see its figures. Speaks plain HTTP without a key, so it must not be public.
 */
export async function openAdminListener({ host, port }: AdminAddress, pages: AdminPages): Promise<AdminListener> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, async (request, response) => {
    const { status, type, text, headers } = await answer(request, pages).catch((error: unknown): Answer => {
      pages.onError(error);
      return json(500, { status: 'error', reason: 'a defect of the program; its log says more' });
    });
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...headers });
    response.end(request.method === 'HEAD' ? undefined : text);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ host, port });
  await once(server, 'listening');
  return { address: toAddress(server), close: () => close(server) };
}

async function answer(request: IncomingMessage, pages: AdminPages): Promise<Answer> {
  const { method = '', url = '', headers } = request;
  const [path = ''] = url.split('?', 1);
  if (pages.answerPost !== undefined && path.startsWith('/runs/')) {
    if (method !== 'POST') return { ...json(405, { status: 'error', reason: 'use POST' }), headers: { allow: 'POST' } };
    const body = await readBody(request);
    // What is left of it is not read: the connection ends with the answer.
    if (body === null)
      return { ...json(413, { status: 'error', reason: 'the body is too large' }), headers: { connection: 'close' } };
    const answered = await pages.answerPost({ path, headers, body });
    return { ...json(answered.status, answered.body), headers: answered.headers ?? {} };
  }
  if (method !== 'GET' && method !== 'HEAD') return json(405, { status: 'error', reason: 'use GET' });
  switch (path) {
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

/** Null for one that is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function toAddress(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function close(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
}
