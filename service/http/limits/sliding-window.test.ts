import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Budgets } from './budgets.ts';

const START = 1_800_000_000_000;
const windows = fc.record({
  limit: fc.integer({ min: 1, max: 2_000 }),
  windowMs: fc.integer({ min: 100, max: 5_000 }),
});
const wide = { limit: 1_000_000, windowMs: 1_000 };

/** Runs requests at these distances and returns the times of those that were let through. */
function admitted(budgets: Budgets, gaps: readonly number[]): number[] {
  const times: number[] = [];
  let now = START;
  for (const gap of gaps) {
    now += gap;
    if (budgets.take(false, now).allowed) times.push(now);
  }
  return times;
}

test('spec 8: never more than the limit in any window, wherever it begins', () => {
  fc.assert(
    fc.property(windows, fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 400 }), (minute, gaps) => {
      const budgets = new Budgets({ minute, hour: wide, day: wide, submissions: wide });
      const times = admitted(budgets, gaps);
      for (let index = minute.limit; index < times.length; index++) {
        assert.ok(times[index]! - times[index - minute.limit]! >= minute.windowMs);
      }
    }),
  );
});

test('spec 8: Retry-After, obeyed, succeeds; and a denied request leaves no trace', () => {
  fc.assert(
    fc.property(
      windows,
      windows,
      fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 200 }),
      (minute, hour, gaps) => {
        const budgets = new Budgets({ minute, hour, day: wide, submissions: wide });
        let now = START;
        for (const gap of gaps) {
          now += gap;
          const before = budgets.save();
          const { allowed, retryAfterSeconds } = budgets.take(false, now);
          if (allowed) continue;
          const settings = { minute, hour, day: wide, submissions: wide };
          assert.deepEqual(
            Budgets.load(settings, budgets.save()).take(false, now).states,
            Budgets.load(settings, before).take(false, now).states,
          );
          assert.ok(Budgets.load(settings, before).take(false, now + retryAfterSeconds * 1_000).allowed);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('spec 8: what is written down and read back counts the same', () => {
  fc.assert(
    fc.property(
      windows,
      fc.array(fc.nat({ max: 40 }), { maxLength: 200 }),
      fc.nat({ max: 5_000 }),
      (minute, gaps, later) => {
        const settings = { minute, hour: wide, day: wide, submissions: wide };
        const budgets = new Budgets(settings);
        admitted(budgets, gaps);
        const last = START + gaps.reduce((sum, gap) => sum + gap, 0);
        const copy = Budgets.load(settings, budgets.save());
        assert.deepEqual(copy.take(false, last + later), budgets.take(false, last + later));
      },
    ),
  );
});

test('spec 8: a clock that is set back opens no window', () => {
  const budgets = new Budgets({ minute: { limit: 1, windowMs: 60_000 }, hour: wide, day: wide, submissions: wide });
  assert.ok(budgets.take(false, START).allowed);
  assert.ok(!budgets.take(false, START - 3_600_000).allowed);
});
