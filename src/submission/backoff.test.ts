import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, DEFAULT_BACKOFF, elapsedBackoffMs } from './backoff.ts';

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

describe('elapsedBackoffMs', () => {
  test('waits double from the first to the longest', () => {
    const waits: number[] = [];
    for (let failingMs = 0; failingMs < 300_000; failingMs += waits.at(-1)!) {
      waits.push(elapsedBackoffMs(failingMs, { firstMs: 2_000, maxMs: 60_000 }));
    }
    assert.deepEqual(waits.slice(0, 7), [2_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });
});
