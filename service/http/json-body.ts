import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BodyMemory, BodyShare } from '../capacity/body-memory.ts';
import { pauseForOthers } from '../capacity/yield-to-event-loop.ts';
import { ApiError } from './api-error.ts';
import { JsonReader } from './json-reader.ts';

/** Retry-After while too many bodies are in memory. */
const MEMORY_RETRY_SECONDS = 2;
/** How much of a body is read, decoded and parsed in one turn of the event loop: some milliseconds. */
const BYTES_PER_TURN = 256 * 1024;

/** Content types that are JSON in UTF-8; parameters other than charset are ignored. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}

/** Replaces a body that cannot be valid: validation rejects it with this reason. */
export class UnacceptableBody {
  readonly reason = 'is nested more deeply, or has more or longer items, than any valid body';
}

/**
 * Accepts bodies of JSON in UTF-8 only: 415 for another type, 413 for an oversized body, 400 for an unreadable one. A
 * body is decoded, its structure counted and its list parsed while it arrives. The memory for bodies is limited (503): that
 * of a body whose length is known is reserved before it is read.
 */
export function readJsonBodies(app: FastifyInstance, memory: BodyMemory): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable) =>
    readBody(request, payload),
  );
  app.decorateRequest('bodyShare');
  // Before the body is read: a type that Fastify would let pass, or none at all on a request without a body.
  app.addHook('preParsing', async (request, reply) => {
    if (request.method !== 'POST') return;
    const { 'content-type': type, 'content-encoding': encoding = 'identity' } = request.headers;
    if (!isJson(type)) throw new ApiError('unsupported_media_type');
    if (encoding.trim().toLowerCase() !== 'identity') {
      throw new ApiError('unsupported_media_type', 'Content-Encoding is not supported: send the body uncompressed.');
    }
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > request.routeOptions.bodyLimit) throw new ApiError('payload_too_large');
    const share = memory.open(request.principal.account.id, announced);
    if (share === null) throw tooManyBodies();
    request.bodyShare = share;
    // Also when the client breaks off: there is no response then.
    reply.raw.once('close', () => share.end());
  });
}

async function readBody(request: FastifyRequest, payload: Readable): Promise<unknown> {
  const limit = request.routeOptions.bodyLimit;
  const reader = new JsonReader();
  let size = 0;
  let ofTurn = 0;
  try {
    // The request must survive an early refusal: its socket carries the answer.
    for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      ofTurn += chunk.length;
      if (size > limit) throw new ApiError('payload_too_large');
      if (!request.bodyShare.take(chunk.length)) throw tooManyBodies();
      if (!reader.read(chunk)) return new UnacceptableBody();
      if (ofTurn < BYTES_PER_TURN) continue;
      ofTurn = 0;
      await pauseForOthers();
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError('invalid_request', 'The upload was aborted. Nothing was charged.', { cause: error });
  }
  const outcome = reader.end();
  if (outcome.kind === 'value') return outcome.value;
  if (outcome.kind === 'unacceptable') return new UnacceptableBody();
  throw new ApiError('invalid_json');
}

const tooManyBodies = () =>
  new ApiError(
    'service_unavailable',
    'Too many concurrent request bodies. Nothing was charged; retry with the same Idempotency-Key after Retry-After.',
    { retryAfterSeconds: MEMORY_RETRY_SECONDS },
  );

declare module 'fastify' {
  interface FastifyRequest {
    /** The body's share of the memory for bodies, held until the response is sent or the connection is closed. */
    bodyShare: BodyShare;
  }
}
