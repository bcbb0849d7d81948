import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { getHeader, type ResponseHeaders } from './headers.ts';
import { openPool } from './open-pool.ts';

/** How long each phase of a request may take, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** Until the response begins: the service charges and stores 5,000 URLs in that time. */
  readonly headersMs: number;
  /** Between two chunks of the response. */
  readonly bodyMs: number;
  /** The whole request. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 60_000, bodyMs: 30_000, totalMs: 90_000 };

/** Five hundred URLs of 2,048 characters with their states are 1.5 MB. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

export type Exchange =
  | { readonly kind: 'answered'; readonly status: number; readonly headers: ResponseHeaders; readonly text: string }
  /** The response began but did not end. */
  | { readonly kind: 'cut-off'; readonly status: number; readonly headers: ResponseHeaders; readonly what: string }
  | { readonly kind: 'none'; readonly reached: boolean; readonly timedOut: boolean; readonly what: string };

export interface Transport {
  /** Sends one request once. Never rejects for a network failure, only when its own signal aborts it. */
  send(request: Request): Promise<Exchange>;
  close(): Promise<void>;
}

export function createTransport(origin: string, timeouts: Timeouts, dispatcher?: Dispatcher): Transport {
  const { connectMs, headersMs, bodyMs, totalMs } = timeouts;
  // One request at a time per connection: pipelined requests would all be in doubt together.
  const pool = dispatcher ?? openPool(origin, { connections: 8, pipelining: 1, connect: { timeout: connectMs } });

  return {
    async send({ method, path, headers, body, signal }) {
      const deadline = new AbortController();
      // Cleared at the end: AbortSignal.timeout would abort each request again, when it has long been answered.
      const timer = setTimeout(
        () => deadline.abort(new DOMException('The request took too long', 'TimeoutError')),
        totalMs,
      );
      timer.unref();
      const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
      let begun: { status: number; headers: ResponseHeaders } | null = null;
      try {
        const response = await pool.request({
          origin,
          method,
          path,
          headers,
          body: body ?? null,
          signal: either,
          headersTimeout: headersMs,
          bodyTimeout: bodyMs,
        });
        begun = { status: response.statusCode, headers: response.headers };
        const bytes = await wholeBody(response.body);
        return { kind: 'answered', ...begun, text: decoded(bytes, begun.headers) };
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason;
        const what = describeFailure(error);
        if (begun !== null) return { kind: 'cut-off', ...begun, what };
        return { kind: 'none', reached: !neverConnected(error), timedOut: TIMEOUT.test(what), what };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => (dispatcher === undefined ? pool.close() : Promise.resolve()),
  };
}

async function wholeBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new Error(`the response has more than ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** The client requests no encoding; gateways may compress anyway. */
function decoded(bytes: Buffer, headers: ResponseHeaders): string {
  const limit = { maxOutputLength: MAX_BODY_BYTES };
  switch (getHeader(headers, 'content-encoding')?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, limit).toString('utf8');
    case 'deflate':
      // About half of all "deflate" responses come without the zlib header.
      return (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateSync : inflateRawSync)(bytes, limit).toString('utf8');
    case 'br':
      return brotliDecompressSync(bytes, limit).toString('utf8');
    case 'zstd':
      return zstdDecompressSync(bytes, limit).toString('utf8');
    default:
      return bytes.toString('utf8');
  }
}

const NEVER_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
const TIMEOUT = /timed? ?out/i;

/** True only when surely nothing was sent: a request that may have arrived may have been charged. */
function neverConnected(error: unknown): boolean {
  return NEVER_CONNECTED.test(getErrorCode(error));
}

const getErrorCode = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

/** As text, without the objects that undici attaches to its errors: they lead to the request and its headers. */
function describeFailure(error: unknown): string {
  const { message, name } = error as Error;
  const code = getErrorCode(error);
  if (name === 'TimeoutError') return 'timed out as a whole';
  return [message || name, ...(message.includes(code) ? [] : [code])].join(', ');
}
