import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { ApiError } from './api-error.ts';
import { failure } from './envelope.ts';
import { endLingering } from './lingering-close.ts';
import { endAfterAnswers } from './pipelining.ts';

const BY_CODE: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/**
 * Answers what is not HTTP, or came too slowly or too large for Node to make a request of it. Also handles what Node
 * would answer without an envelope: an unknown Expect header (ignored, RFC 9110 section 10.1.1) and CONNECT.
 */
export function handleMalformedRequests(server: Server): void {
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  server.on('connect', (_request, socket) => answerMalformedRequest({}, socket));
}

/**
 * Writes an error envelope to the socket and closes it. What was broken was not charged: it was not read in full, and
 * nothing that was waits for its answer.
 */
export function answerMalformedRequest({ code: cause = '' }: { readonly code?: string }, socket: Duplex): void {
  if (cause === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (endAfterAnswers(socket)) return;
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
