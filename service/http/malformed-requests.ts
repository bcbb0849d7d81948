import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { ApiError } from './api-error.ts';
import { failure } from './envelope.ts';
import { endLingering } from './lingering-close.ts';

const BY_CODE: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The request in progress on each connection. */
const exchanges = new WeakMap<Duplex, Exchange>();

/**
 * Answers what is not HTTP, or came too slowly or too large for Node to make a request of it. Also handles what Node
 * would answer without an envelope: an unknown Expect header (ignored, RFC 9110 section 10.1.1) and CONNECT.
 */
export function handleMalformedRequests(server: Server): void {
  server.prependListener('request', remember);
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) => answerMalformedRequest({}, socket));
}

function remember(request: IncomingMessage, response: ServerResponse): void {
  const exchange = { request, response };
  exchanges.set(request.socket, exchange);
  response.once('close', () => {
    if (exchanges.get(request.socket) === exchange) exchanges.delete(request.socket);
  });
}

/** Writes an error envelope to the socket and closes it; the request never reached a route. */
export function answerMalformedRequest({ code: cause = '' }: { readonly code?: string }, socket: Duplex): void {
  const current = exchanges.get(socket);
  if (cause === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (current !== undefined && (current.request.complete || current.response.headersSent)) {
    // What is broken came after a request that was read in full and may have been charged. An error written now would
    // be read as its answer, so that one is completed, and then the connection is closed without a word.
    current.response.once('finish', () => endLingering(socket));
    return;
  }
  const code = BY_CODE[cause] ?? 'invalid_request';
  const { status } = ERROR_CODES[code];
  const requestId = newRequestId();
  const body = JSON.stringify(failure(requestId, new ApiError(code)));
  endLingering(
    socket,
    `HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
}

export const newRequestId = (): string => `req_${randomUUID()}`;
