import type { TSchema } from 'typebox';
import { Failure, Success } from '../../../contract/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../../contract/errors.ts';

/** What every authenticated route can answer besides its own errors. */
const ALWAYS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** What every POST can answer as well. */
export const POST_ERRORS: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_idempotency_key',
  'insufficient_balance',
  'idempotency_conflict',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
];

interface Answer {
  readonly description: string;
  readonly data: TSchema;
}

/** The answers of a route by status: its own, and an error envelope for each status of the errors it can send. */
export function answers(own: Readonly<Record<number, Answer>>, errors: readonly ErrorCode[]) {
  const byStatus: Record<number, TSchema & { description: string }> = {};
  for (const [status, { description, data }] of Object.entries(own)) {
    byStatus[Number(status)] = { description, ...Success(data) };
  }
  const codes = [...new Set([...ALWAYS, ...errors])];
  for (const status of new Set(codes.map((code) => ERROR_CODES[code].status))) {
    const here = codes.filter((code) => ERROR_CODES[code].status === status);
    byStatus[status] = { description: here.map((code) => ERROR_CODES[code].meaning).join(' '), ...Failure(here) };
  }
  return byStatus;
}
