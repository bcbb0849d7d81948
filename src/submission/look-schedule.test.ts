import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_LOOKS, type Looks, nextLook } from './look-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The ages, in ms, at which a job that never ends is looked at. */
function looksAt(looks: Looks): number[] {
  const ages: number[] = [];
  for (let age = 0, next = nextLook(looks, 0, age); next.kind === 'in'; next = nextLook(looks, ages.length, age)) {
    age += next.waitMs;
    ages.push(age);
  }
  return ages;
}

test('a fast job is first looked at when it may be ready, then every 10 to 30 s, then rarer', () => {
  const ages = looksAt(DEFAULT_LOOKS.fast);
  assert.equal(ages[0], 5 * MINUTE);
  assert.ok(ages[1]! - ages[0]! >= 10_000 && ages[2]! - ages[1]! <= 30_000);
  assert.ok(ages.filter((age) => age <= 10 * MINUTE).length <= 9, 'a job that takes ten minutes costs nine looks');
  assert.ok(ages.length < 320);
});

test('a standard job of seven days costs fewer than 200 looks and is overdue after eight days', () => {
  const ages = looksAt(DEFAULT_LOOKS.standard);
  assert.equal(ages[0], 3 * HOUR);
  assert.ok(ages.filter((age) => age <= 7 * DAY).length < 200);
  assert.equal(ages.at(-1), 8 * DAY);
  assert.deepEqual(nextLook(DEFAULT_LOOKS.standard, ages.length, 8 * DAY), { kind: 'overdue' });
});

test('a job that was found late is looked at now', () => {
  assert.deepEqual(nextLook(DEFAULT_LOOKS.standard, 0, 5 * HOUR), { kind: 'in', waitMs: 0 });
});

test('waits never shrink, never leave their bounds and never pass the patience', () => {
  const settings = fc.record({
    firstMs: fc.integer({ min: 0, max: 1e6 }),
    minMs: fc.integer({ min: 1, max: 1e4 }),
    maxMs: fc.integer({ min: 1e4, max: 1e6 }),
    growth: fc.double({ min: 1, max: 10, noNaN: true }),
    patienceMs: fc.integer({ min: 1, max: 1e9 }),
  });
  fc.assert(
    fc.property(settings, fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 0, max: 1e9 }), (looks, n, age) => {
      const next = nextLook(looks, n, age);
      if (next.kind === 'overdue') return assert.ok(age >= looks.patienceMs);
      assert.ok(age + next.waitMs <= looks.patienceMs);
      assert.ok(next.waitMs <= looks.maxMs);
      const later = nextLook(looks, n + 1, age);
      assert.ok(later.kind === 'in' && later.waitMs >= next.waitMs);
    }),
  );
});
