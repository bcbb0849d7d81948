import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { backoffMs, DEFAULT_BACKOFF } from './backoff.ts';

test('waits grow, are spread over their whole range and never leave it', () => {
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

test('a wait that the service asked for is kept in full, an hour too', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      fc.nat(1e8),
      (attempt, random, asked) => {
        const wait = backoffMs(attempt, random, asked);
        assert.ok(wait >= asked && wait <= asked + 1_000);
      },
    ),
  );
});
