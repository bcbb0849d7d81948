import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiAnswer, Body, Endpoint } from '../submission/answer.ts';
import { toApiError, unwrapData } from './errors.ts';
import { toFailureData } from './failure.ts';

const refused: Body<never> = { kind: 'error', error: { code: 'CODE', message: 'words', named: [], fields: [] } };
const page: Body<never> = { kind: 'unreadable', what: 'a page instead of JSON', claimsSuccess: false };
const none = (reached: boolean, timedOut: boolean): Body<never> => ({
  kind: 'none',
  reached,
  timedOut,
  what: 'it broke',
});
const answer = (
  endpoint: Endpoint,
  status: number | null,
  body: Body<never>,
  retryAfterMs: number | null = null,
): ApiAnswer<never> => ({
  endpoint,
  status,
  body,
  requestId: 'req-1',
  retryAfterMs,
  budgets: [],
  tookMs: 1,
});

const classes: [
  what: string,
  answer: ApiAnswer<never>,
  type: string,
  nonRetryable: boolean,
  delay: number | null,
  benign: boolean,
][] = [
  ['400', answer('submit', 400, refused), 'RequestRefusedError', true, null, false],
  ['401', answer('balance', 401, refused), 'AuthenticationError', true, null, false],
  ['402', answer('submit', 402, refused), 'RequestRefusedError', true, null, false],
  ['403', answer('balance', 403, refused), 'AuthenticationError', true, null, false],
  ['404', answer('submission', 404, refused), 'NotFoundError', true, null, false],
  ['409', answer('submit', 409, refused), 'RequestRefusedError', true, null, false],
  ['409 with Retry-After', answer('submit', 409, refused, 3_000), 'ServiceBusyError', false, 3_000, true],
  ['413', answer('submit', 413, refused), 'RequestRefusedError', true, null, false],
  ['415', answer('submit', 415, refused), 'RequestRefusedError', true, null, false],
  ['422', answer('submit', 422, refused), 'RequestRefusedError', true, null, false],
  ['429', answer('submissions', 429, refused, 3_600_000), 'ServiceBusyError', false, 3_600_000, true],
  ['429 from a gateway', answer('submissions', 429, page), 'ServiceBusyError', false, 60_000, true],
  ['500', answer('submit', 500, refused), 'ServiceUnavailableError', false, null, false],
  ['503', answer('submit', 503, refused, 5_000), 'ServiceUnavailableError', false, 5_000, false],
  ['a page with 200', answer('balance', 200, page), 'ServiceUnavailableError', false, null, false],
  ['a page with 422', answer('submit', 422, page), 'ServiceUnavailableError', false, null, false],
  ['no response in time', answer('submit', null, none(true, true)), 'ServiceUnavailableError', false, null, false],
  ['no connection', answer('submit', null, none(false, false)), 'ServiceUnavailableError', false, null, false],
];
describe('toApiError', () => {
  for (const [what, given, type, nonRetryable, nextRetryDelayMs, benign] of classes) {
    test(`${what} is a ${type}`, () => {
      const failure = toFailureData(toApiError(given));
      assert.deepEqual(
        [failure.type, failure.nonRetryable, failure.nextRetryDelayMs, failure.benign],
        [type, nonRetryable, nextRetryDelayMs, benign],
      );
    });
  }
});

test('a 404 that is not about a job says that base_url may be wrong, in every form', () => {
  for (const body of [refused, page]) {
    assert.match(toApiError(answer('balance', 404, body)).message, /Check base_url/);
    assert.doesNotMatch(toApiError(answer('submission', 404, body)).message, /base_url/);
  }
});

test('an error says what happened and what it means for the money, and quotes the request id', () => {
  const error = toApiError(answer('submit', 503, refused));
  assert.equal(error.chargeState, 'unknown');
  assert.match(error.message, /not available.*CODE: words.*req-1.*it may have been charged.*same bytes/);
  assert.deepEqual(toFailureData(error).details, {
    endpoint: 'submit',
    status: 503,
    code: 'CODE',
    requestId: 'req-1',
    chargeState: 'unknown',
  });
});

test('a read is never charged, whatever the response', () => {
  for (const [, given] of classes) assert.equal(toApiError({ ...given, endpoint: 'balance' }).chargeState, 'none');
});

test('returns the data of a success and throws for anything else', () => {
  const success: ApiAnswer<number> = { ...answer('balance', 200, page), body: { kind: 'success', data: 7 } };
  assert.equal(unwrapData(success), 7);
  assert.throws(() => unwrapData({ ...success, status: 500 }), { name: 'ServiceUnavailableError' });
  assert.throws(() => unwrapData(answer('balance', 200, refused)), { name: 'ServiceUnavailableError' });
});
