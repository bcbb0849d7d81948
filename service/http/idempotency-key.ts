import type { FastifyRequest } from 'fastify';
import { IDEMPOTENCY_KEY_PATTERN } from '../../contract/headers.ts';
import { ApiError } from './api-error.ts';

const FORM = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The Idempotency-Key of a POST (spec 4.6). Sent twice, Node joins the two with a comma, which the form refuses. */
export function idempotencyKey({ headers }: FastifyRequest): string {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !FORM.test(key)) throw new ApiError('invalid_idempotency_key');
  return key;
}

/** A hook before validation: the key is judged after the JSON and before the rules of the body. */
export async function requireIdempotencyKey(request: FastifyRequest): Promise<void> {
  idempotencyKey(request);
}
