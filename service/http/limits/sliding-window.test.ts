import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../settings.ts';
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

test('spec 8: never more than the limit in any window, and above 1,000 in any window less one bucket', () => {
  fc.assert(
    fc.property(windows, fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 400 }), (minute, gaps) => {
      const times = admitted(new Budgets({ minute, hour: wide, day: wide, submissions: wide }), gaps);
      const bucketMs = minute.limit <= 1_000 ? 0 : Math.floor(minute.windowMs / 240);
      for (let index = minute.limit; index < times.length; index++) {
        assert.ok(times[index]! - times[index - minute.limit]! >= minute.windowMs - bucketMs);
      }
    }),
  );
});

/** Requests at the limit, some early and some late, but never more than the limit in any window. */
function withinLimit(limit: number, windowMs: number, count: number, jitter: (index: number) => number): number[] {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const wanted = Math.max(START + Math.round((index * windowMs) / limit) + jitter(index), times.at(-1) ?? 0);
    times.push(index < limit ? wanted : Math.max(wanted, times[index - limit]! + windowMs));
  }
  return times;
}

describe('spec 8: a client within the limit is never denied', () => {
  const defaults = DEFAULT_SETTINGS.budgets;
  for (const [name, jitter] of Object.entries({
    'at a steady pace': () => 0,
    'in bursts': (index: number) => -(index % 97) * 900,
    'with pauses': (index: number) => (index % 1_000 === 0 ? 50_000 : 0),
  })) {
    for (const window of ['minute', 'hour', 'day'] as const) {
      test(`${defaults[window].limit} a ${window}, ${name}`, () => {
        const { limit, windowMs } = defaults[window];
        const budgets = new Budgets({
          minute: wide,
          hour: wide,
          day: wide,
          submissions: wide,
          [window]: { limit, windowMs },
        });
        for (const time of withinLimit(limit, windowMs, limit * 3, jitter))
          assert.ok(budgets.take(false, time).allowed);
      });
    }
  }
});

test('spec 8: a retry after Retry-After succeeds, and a denied request is not counted', () => {
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

test('spec 8: saved and restored windows count the same', () => {
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

test('spec 8: setting the clock back frees no budget', () => {
  const budgets = new Budgets({ minute: { limit: 1, windowMs: 60_000 }, hour: wide, day: wide, submissions: wide });
  assert.ok(budgets.take(false, START).allowed);
  assert.ok(!budgets.take(false, START - 3_600_000).allowed);
});

describe('spec 8: the windows recover after a clock that was ahead is corrected', () => {
  for (const [where, restart] of [
    ['in one process', false],
    ['across a restart', true],
  ] as const) {
    test(where, () => {
      const settings = { minute: { limit: 3, windowMs: 60_000 }, hour: wide, day: wide, submissions: wide };
      const HOUR = 3_600_000;
      let budgets = new Budgets(settings);
      budgets.take(false, START);
      for (let index = 0; index < 3; index++) assert.ok(budgets.take(false, START + HOUR + index).allowed);
      if (restart) budgets = Budgets.load(settings, budgets.save());
      const denied = budgets.take(false, START + 1_000);
      assert.ok(!denied.allowed, 'the window is as full as it was');
      assert.ok(denied.retryAfterSeconds <= 60);
      const later = START + 1_000 + denied.retryAfterSeconds * 1_000;
      for (let index = 0; index < 3; index++)
        assert.ok(budgets.take(false, later + index).allowed, 'Retry-After is true');
      assert.ok(!budgets.take(false, later + 3).allowed);
    });
  }
});
