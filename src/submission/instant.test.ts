import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatInstant, formatInstantIn, formatSecondIn } from './instant.ts';

const AT = Date.UTC(2026, 6, 31, 22, 30, 15);

describe('an instant for people', () => {
  test('is in UTC, to the minute', () => assert.equal(formatInstant(AT), '2026-07-31 22:30 UTC'));

  for (const [zone, minute, second] of [
    ['UTC', '2026-07-31 22:30 UTC', '2026-07-31 22:30:15 UTC'],
    ['Europe/Istanbul', '2026-08-01 01:30 Europe/Istanbul', '2026-08-01 01:30:15 Europe/Istanbul'],
    ['America/New_York', '2026-07-31 18:30 America/New_York', '2026-07-31 18:30:15 America/New_York'],
  ] as const) {
    test(`names ${zone}`, () => {
      assert.equal(formatInstantIn(zone, AT), minute);
      assert.equal(formatSecondIn(zone, AT), second);
    });
  }
});
