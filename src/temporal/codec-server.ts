import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { PayloadKeyError } from './encryption.ts';

export interface CodecServerOptions {
  readonly codec: PayloadCodec;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Origins of the Web UIs whose pages may ask, such as http://127.0.0.1:8233. */
  readonly origins: readonly string[];
  readonly onError: (error: unknown) => void;
}

export interface CodecServer {
  /** http://HOST:PORT */
  readonly url: string;
  close(): Promise<void>;
}

/** More than a page of a history holds. */
const MOST_BYTES = 32 * 1_024 * 1_024;

/** Payloads in JSON as Temporal's codec protocol has them: bytes are base64. */
interface JsonPayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

/**
 * Answers `POST /encode` and `POST /decode` of Temporal's codec protocol, so that the Web UI and the `temporal` command show
 * encrypted payloads as sentences. Only pages of `origins` may read the answers in a browser; whoever reaches the port
 * otherwise can decrypt, so it must not be public.
 */
export async function openCodecServer({ host, port, ...options }: CodecServerOptions): Promise<CodecServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 30_000 }, (request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      options.onError(error);
      if (!response.headersSent) send(response, 500, { message: 'a defect of the program; its log says more' });
      else response.destroy();
    });
  });
  server.maxConnections = 100;
  server.listen({ host, port });
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { codec, origins }: Pick<CodecServerOptions, 'codec' | 'origins'>,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined) {
    if (!origins.includes(origin)) {
      send(response, 403, {
        message: `pages of ${origin} may not ask; start "courier codec-server --origin ${origin}"`,
      });
      return;
    }
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
    response.setHeader('access-control-allow-headers', 'content-type, x-namespace, authorization');
    response.setHeader('vary', 'origin');
    // A browser asks this before a page from elsewhere may reach an address of this machine or its network.
    if (request.headers['access-control-request-private-network'] === 'true')
      response.setHeader('access-control-allow-private-network', 'true');
  }
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  const work = { '/encode': codec.encode, '/decode': codec.decode }[request.url?.split('?', 1)[0] ?? ''];
  if (work === undefined || request.method !== 'POST') {
    send(response, work === undefined ? 404 : 405, { message: 'there are POST /encode and POST /decode' });
    return;
  }
  const payloads = parsePayloads(await readBody(request));
  if (payloads === null) {
    send(response, 400, { message: 'the body is not { "payloads": [...] } of at most 32 MB' });
    return;
  }
  try {
    send(response, 200, { payloads: (await work.call(codec, payloads)).map(toJson) });
  } catch (error) {
    if (!(error instanceof PayloadKeyError)) throw error;
    send(response, 400, { message: error.message });
  }
}

/** Null when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsePayloads(body: string | null): Payload[] | null {
  try {
    const { payloads } = JSON.parse(body ?? '') as { readonly payloads?: readonly JsonPayload[] };
    if (!Array.isArray(payloads)) return null;
    return (payloads as readonly JsonPayload[]).map(({ metadata = {}, data = '' }) => ({
      metadata: Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
      ),
      data: Buffer.from(data, 'base64'),
    }));
  } catch {
    return null;
  }
}

const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value ?? []).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
