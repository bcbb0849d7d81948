import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLOCK_TOLERANCE_MS, findWaitEnd, hasPassed, isFromFuture } from './clock.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 15);

describe('a recorded moment', () => {
  test('is from the future beyond the tolerance', () => {
    assert.equal(isFromFuture(NOW + CLOCK_TOLERANCE_MS, NOW), false);
    assert.equal(isFromFuture(NOW + CLOCK_TOLERANCE_MS + 1, NOW), true);
  });

  test('has passed when its time is over, and when it cannot be known', () => {
    assert.equal(hasPassed(NOW - HOUR + 1, HOUR, NOW), false);
    assert.equal(hasPassed(NOW - HOUR, HOUR, NOW), true);
    assert.equal(hasPassed(NOW + 60_000, HOUR, NOW), false, 'clocks differ by minutes');
    assert.equal(hasPassed(NOW + 24 * HOUR, HOUR, NOW), true);
  });
});

describe('a wait', () => {
  const wait = (since: number | null, until: number | null) => ({ waits_since: since, not_before: until });

  test('ends at its end', () => {
    assert.equal(findWaitEnd(wait(NOW, NOW + HOUR), NOW), NOW + HOUR);
    assert.equal(findWaitEnd(wait(NOW - HOUR, NOW), NOW), null);
    assert.equal(findWaitEnd(wait(null, null), NOW), null);
  });

  test('that began in the future is over', () => {
    assert.equal(findWaitEnd(wait(NOW + 24 * HOUR, NOW + 25 * HOUR), NOW), null);
    assert.equal(findWaitEnd(wait(NOW + 60_000, NOW + HOUR), NOW), NOW + HOUR);
  });
});
