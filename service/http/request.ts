import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY_PATTERN } from '../../contract/headers.ts';
import { ApiError } from './api-error.ts';

const BEARER = /^Bearer +([^ ]+) *$/i;
const IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
const DIGITS = /^\d{1,100}$/;

/**
 * The API key that a request carries: `Authorization: Bearer KEY` (in any letter case) or `X-API-Key: KEY`, equivalent
 * (spec 5). Null when there is none, when one of the two is malformed or repeated, or when both differ.
 */
export function parseApiKey({ headers, rawHeaders }: IncomingMessage): string | null {
  const { authorization, 'x-api-key': header } = headers;
  if (authorization === undefined) return typeof header === 'string' && header !== '' ? header : null;
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer === undefined || hasRepeatedAuthorization(rawHeaders)) return null;
  return header === undefined || header === bearer ? bearer : null;
}

/** Node keeps the first of several Authorization headers: which one counts must not depend on that. */
function hasRepeatedAuthorization(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') count++;
  }
  return count > 1;
}

/** The Idempotency-Key of a POST (spec 4.6). Node joins two of them with a comma, which the pattern refuses. */
export function parseIdempotencyKey({ headers }: FastifyRequest): string {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) throw new ApiError('invalid_idempotency_key');
  return key;
}

/** A hook before validation: the key is judged after the JSON and before the rules of the body. */
export async function requireIdempotencyKey(request: FastifyRequest): Promise<void> {
  parseIdempotencyKey(request);
}

/** Multiplied by the largest page size, it is still a safe integer. */
const LAST_PAGE = 2 ** 43;

/**
 * A hook before validation: query texts of digits become numbers where the contract has numbers. Anything else
 * ("1e2", "+1", "") stays a text, which the schema then refuses.
 */
export function parseQueryNumbers(...names: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === 'string' && DIGITS.test(text)) query[name] = Math.min(Number(text), LAST_PAGE);
    }
  };
}
