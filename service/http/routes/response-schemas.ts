import type { TSchema } from 'typebox';
import { Failure, Success } from '../../../contract/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../../contract/errors.ts';

/**
 * What any route can answer: the base address or the method is wrong, the request never became one, or the service has a
 * defect.
 */
const ANY: readonly ErrorCode[] = [
  'invalid_request',
  'route_not_found',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
];

/** What every authenticated route can answer besides its own errors. */
const AUTHENTICATED: readonly ErrorCode[] = ['unauthorized', 'rate_limited', 'service_unavailable'];

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

/** The answers of an authenticated route by status: its own, and an error envelope for each status of the errors it can send. */
export function describeResponses(own: Readonly<Record<number, Answer>>, errors: readonly ErrorCode[]) {
  return describePublicResponses(own, [...AUTHENTICATED, ...errors]);
}

/** The same for a route that needs no key. */
export function describePublicResponses(own: Readonly<Record<number, Answer>>, errors: readonly ErrorCode[] = []) {
  const byStatus: Record<number, TSchema & { description: string }> = {};
  for (const [status, { description, data }] of Object.entries(own)) {
    byStatus[Number(status)] = { description, ...Success(data) };
  }
  const codes = [...new Set([...ANY, ...errors])];
  for (const status of new Set(codes.map((code) => ERROR_CODES[code].status))) {
    const here = codes.filter((code) => ERROR_CODES[code].status === status);
    byStatus[status] = { description: here.map((code) => ERROR_CODES[code].meaning).join(' '), ...Failure(here) };
  }
  return byStatus;
}
