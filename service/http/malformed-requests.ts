import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { ApiError } from './api-error.ts';
import { failure } from './envelope.ts';

/** How long a client may take. A slow one is ended within 20 seconds, whatever it does. */
export const TIMEOUTS = {
  headersMs: 8_000,
  requestMs: 15_000,
  checkEveryMs: 2_000,
  /** A socket on which nothing moves, a client that does not read its answer included. */
  idleMs: 18_000,
  keepAliveMs: 5_000,
} as const;

const BY_CODE: Record<string, ErrorCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
};
const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers what is not HTTP, or came too slowly or too large for Node to make a request of it, and closes. */
export function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const code = BY_CODE[error.code ?? ''] ?? 'invalid_request';
  const { status } = ERROR_CODES[code];
  const requestId = newRequestId();
  const body = JSON.stringify(failure(requestId, new ApiError(code)));
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
}

export const newRequestId = (): string => `req_${randomUUID()}`;
