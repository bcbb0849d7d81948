import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LINGER, lingerAfterAnswer } from './lingering-close.ts';
import { answerMalformedRequest } from './malformed-requests.ts';

/** How long a client may take. */
export const TIMEOUTS = {
  headersMs: 8_000,
  /** A request with its body: 12 MiB at 1 Mbit/s. */
  requestMs: 120_000,
  /** After this long a body must have kept up with the slowest rate. */
  graceMs: 10_000,
  checkEveryMs: 2_000,
  keepAliveMs: 5_000,
} as const;

/** A body that arrives more slowly is given up, so that nobody holds connections with a byte now and then. */
export const SLOWEST_BYTES_PER_SECOND = 8 * 1024;

/**
 * Ends slow clients. There is no limit on a connection on which the service itself is at work: whoever waits for an
 * index-check waits for its answer.
 */
export function endSlowClients(app: FastifyInstance): void {
  app.addHook('preParsing', async (request) => {
    if (!request.raw.complete) watchUpload(request);
  });
  app.addHook('onSend', async ({ raw }, reply) => {
    watchDownload(reply.raw, raw.socket);
    // Node reads and drops what is left of a body that nobody began to read; otherwise, or when it is endless, the
    // connection ends instead.
    if (raw.complete || !(raw.readableDidRead || hasEndlessBody(raw))) return;
    reply.header('connection', 'close');
    lingerAfterAnswer(raw.socket);
  });
}

function hasEndlessBody({ headers }: FastifyRequest['raw']): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return Number(headers['content-length'] ?? 0) > LINGER.bytes;
}

/** Ends a client that does not read its answer, or reads it more slowly than the slowest rate. */
function watchDownload(response: ServerResponse, socket: Socket): void {
  const began = performance.now();
  const before = socket.bytesWritten - socket.writableLength;
  const timer = setInterval(() => {
    const seconds = (performance.now() - began - TIMEOUTS.graceMs) / 1_000;
    const taken = socket.bytesWritten - socket.writableLength - before;
    if (seconds >= 0 && taken < seconds * SLOWEST_BYTES_PER_SECOND + 1) socket.destroy();
  }, TIMEOUTS.checkEveryMs).unref();
  // Once all of it is in the hands of the operating system, or the connection has ended.
  response.once('close', () => clearInterval(timer));
}

function watchUpload({ raw }: FastifyRequest): void {
  const began = performance.now();
  const before = raw.socket.bytesRead;
  const timer = setInterval(() => {
    const seconds = (performance.now() - began - TIMEOUTS.graceMs) / 1_000;
    if (raw.complete || raw.destroyed) clearInterval(timer);
    else if (seconds >= 0 && raw.socket.bytesRead - before < seconds * SLOWEST_BYTES_PER_SECOND + 1) {
      clearInterval(timer);
      answerMalformedRequest({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, raw.socket);
    }
  }, TIMEOUTS.checkEveryMs).unref();
  raw.once('close', () => clearInterval(timer));
}
