import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { backoffMs, parseRetryAfter } from './retry.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const headers: readonly (readonly [string | undefined, number | undefined])[] = [
  ['0', 0],
  ['120', 120_000],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  [undefined, undefined],
];
describe('Retry-After', () => {
  for (const [header, ms] of headers) {
    test(`${header ?? 'no header'} means ${ms} ms`, () => assert.equal(parseRetryAfter(header, now), ms));
  }
});

test('backoff doubles up to 10 s and half of it is jitter', () => {
  assert.deepEqual(
    [1, 2, 3, 9].map((attempt) => backoffMs(attempt, 0)),
    [250, 500, 1_000, 5_000],
  );
  assert.deepEqual(
    [1, 2, 3, 9].map((attempt) => backoffMs(attempt, 1)),
    [500, 1_000, 2_000, 10_000],
  );
});
