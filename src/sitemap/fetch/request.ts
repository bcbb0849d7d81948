import type { IncomingMessage } from 'node:http';
import { freeChunk } from '../free-chunk.ts';
import { SitemapError } from '../problems.ts';
import { type Connections, http, https } from './connections.ts';
import { toNetworkError } from './http-error.ts';

export interface RequestTimeouts {
  /** To a connection, TLS included. */
  readonly connectMs: number;
  /** From the request to the status line. */
  readonly headersMs: number;
  /** Without a byte of the body, or in all while less than 1 KiB came. */
  readonly idleMs: number;
}

export interface RequestOptions {
  readonly connections: Connections;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeouts: RequestTimeouts;
  readonly signal: AbortSignal;
}

/** Sends a GET. Resolves with the head of the answer; read its body with `readBody`, or `discard` it. Throws SitemapError. */
export async function get(url: URL, options: RequestOptions): Promise<IncomingMessage> {
  try {
    return await send(url, options);
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw toNetworkError(error, url, options.signal);
  }
  // The server had closed a connection that was kept alive before this request could use it: no fault of either side.
  try {
    return await send(url, options);
  } catch (error) {
    throw toNetworkError(error, url, options.signal);
  }
}

class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
}

function send(url: URL, { connections, headers, timeouts, signal }: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = (url.protocol === 'https:' ? https : http).request(url, {
      agent: connections.getAgent(url.protocol),
      headers,
      signal,
    });
    const expire = (message: string) => () => sent.destroy(new SitemapError('TIMEOUT', message));
    let timer = setTimeout(expire('no connection in time'), timeouts.connectMs);
    const awaitAnswer = () => {
      clearTimeout(timer);
      timer = setTimeout(expire('no answer in time'), timeouts.headersMs);
    };
    sent.once('socket', (socket) => {
      // Behind the listener that the request has just added: by then Node's parser has copied the body out of the chunk.
      socket.off('data', freeChunk).on('data', freeChunk);
      if (socket.connecting) socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', awaitAnswer);
      else awaitAnswer();
    });
    let answer: IncomingMessage | undefined;
    sent.once('response', (response) => {
      clearTimeout(timer);
      // A body that breaks off emits an error, also when nobody reads it. Without a listener that ends the process.
      response.on('error', () => undefined);
      answer = response;
      resolve(response);
    });
    // Stays: a connection that fails while the body is read is reported here, and for a body that only the end of its
    // connection delimits nowhere else: Node then takes a reset, a timeout and an abort for its regular end.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (answer?.complete === false) answer.destroy(error);
      else if (answer !== undefined && error.code?.startsWith('HPE_')) overlong.add(answer);
      const isStale = sent.reusedSocket && error.code === 'ECONNRESET' && !signal.aborted;
      reject(isStale ? new StaleConnectionError('closed', { cause: error }) : error);
    });
    // A switch of protocols and a tunnel were not asked for. Node ends the request without an error when nobody listens.
    sent.once('close', () => {
      clearTimeout(timer);
      reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    });
    sent.end();
  });
}

/** Answers with more bytes than their Content-Length states. */
const overlong = new WeakSet<IncomingMessage>();

/**
 * What shows where a body ends: its length or its chunks, or only the end of its connection, which looks the same when the
 * server failed. `beyond`: the server sent more than the stated length. Ask when the body is read.
 */
export type BodyEnd = 'stated' | 'close' | 'beyond';

export function getBodyEnd(answer: IncomingMessage): BodyEnd {
  if (overlong.has(answer)) return 'beyond';
  const { 'transfer-encoding': coding, 'content-length': length } = answer.headers;
  const isStated = coding === undefined ? length !== undefined : /(^|[,\s])chunked\s*$/i.test(coding);
  return isStated ? 'stated' : 'close';
}

/** The least that must come within the time in which a body may pause. */
const LEAST_BYTES = 1_024;

/**
 * The bytes of a body. Ends it when it pauses or comes too slowly; only the wait for bytes counts, not what the consumer
 * does with them. Throws SitemapError.
 */
export async function* readBody(
  body: IncomingMessage,
  url: URL,
  signal: AbortSignal,
  idleMs: number,
): AsyncGenerator<Buffer> {
  let waited = 0;
  let bytes = 0;
  let since = performance.now();
  let isWaiting = true;
  const timer = setInterval(
    () => {
      if (isWaiting && performance.now() - since >= idleMs) {
        body.destroy(new SitemapError('TIMEOUT', 'the body stopped coming'));
      }
    },
    Math.max(1, Math.min(1_000, idleMs / 4)),
  );
  try {
    for await (const chunk of body) {
      isWaiting = false;
      waited += performance.now() - since;
      bytes += chunk.length;
      if (bytes >= LEAST_BYTES) {
        waited = 0;
        bytes = 0;
      } else if (waited > idleMs) {
        throw new SitemapError('TIMEOUT', `less than ${LEAST_BYTES} bytes came within ${idleMs} ms`);
      }
      yield chunk;
      since = performance.now();
      isWaiting = true;
    }
    signal.throwIfAborted();
  } catch (error) {
    throw error instanceof SitemapError ? error : toNetworkError(error, url, signal);
  } finally {
    clearInterval(timer);
    body.destroy();
  }
}

/** More of a body that nobody needs is not read: a new connection costs less. */
const DISCARD_LIMIT = 128 * 1024;

/**
 * Reads a body that is not needed, so that the connection can be used again. That it breaks off changes nothing: the head
 * says all. Throws only the reason of the aborted signal.
 */
export async function discard(body: IncomingMessage, url: URL, signal: AbortSignal, idleMs: number): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of readBody(body, url, signal, idleMs)) {
      bytes += chunk.length;
      if (bytes > DISCARD_LIMIT) return;
    }
  } catch {
    signal.throwIfAborted();
  }
}
