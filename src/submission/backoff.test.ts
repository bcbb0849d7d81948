import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, DEFAULT_BACKOFF } from './backoff.ts';

describe('backoffMs', () => {
  test('waits grow, are jittered over the whole range and stay within it', () => {
    assert.equal(backoffMs(1, 0), 500);
    assert.equal(backoffMs(1, 0.999_999), 1_000);
    assert.equal(backoffMs(4, 0.999_999), 8_000);
    fc.assert(
      fc.property(fc.nat(100), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (attempt, random) => {
        const wait = backoffMs(attempt, random);
        assert.ok(wait >= DEFAULT_BACKOFF.baseMs / 2 && wait <= DEFAULT_BACKOFF.maxMs);
      }),
    );
  });

  test('a wait is never shorter than Retry-After, even an hour', () => {
    fc.assert(
      fc.property(
        fc.nat(100),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        fc.nat(1e8),
        (attempt, random, retryAfterMs) => {
          const wait = backoffMs(attempt, random, retryAfterMs);
          assert.ok(wait >= retryAfterMs && wait <= retryAfterMs + 1_000);
        },
      ),
    );
  });
});
