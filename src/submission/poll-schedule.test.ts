import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { alignToTick, DEFAULT_POLLING, freshSince, nextPoll, type PollPolicy } from './poll-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The ages, in ms, at which a job that never ends is polled. */
function listPollAges(polling: PollPolicy): number[] {
  const ages: number[] = [];
  for (let age = 0, next = nextPoll(polling, 0, age); next.kind === 'in'; next = nextPoll(polling, ages.length, age)) {
    age += next.waitMs;
    ages.push(age);
  }
  return ages;
}

describe('poll schedule', () => {
  test('a fast job is first polled when it may be ready, then every 10 to 30 s, then less often', () => {
    const ages = listPollAges(DEFAULT_POLLING.fast);
    assert.equal(ages[0], 5 * MINUTE);
    assert.ok(ages[1]! - ages[0]! >= 10_000 && ages[2]! - ages[1]! <= 30_000);
    assert.ok(ages.filter((age) => age <= 10 * MINUTE).length <= 9, 'a job that takes ten minutes costs nine polls');
    assert.ok(ages.length < 320);
  });

  test('a standard job of seven days costs fewer than 200 polls and is overdue after eight days', () => {
    const ages = listPollAges(DEFAULT_POLLING.standard);
    assert.equal(ages[0], 3 * HOUR);
    assert.ok(ages.filter((age) => age <= 7 * DAY).length < 200);
    assert.equal(ages.at(-1), 8 * DAY);
    assert.deepEqual(nextPoll(DEFAULT_POLLING.standard, ages.length, 8 * DAY), { kind: 'overdue' });
  });

  test('a job that is already past its first poll is polled now', () => {
    assert.deepEqual(nextPoll(DEFAULT_POLLING.standard, 0, 5 * HOUR), { kind: 'in', waitMs: 0 });
  });

  test('waits never shrink, stay within their bounds and never exceed the timeout', () => {
    const settings = fc.record({
      firstMs: fc.integer({ min: 0, max: 1e6 }),
      minMs: fc.integer({ min: 1, max: 1e4 }),
      maxMs: fc.integer({ min: 1e4, max: 1e6 }),
      growth: fc.double({ min: 1, max: 10, noNaN: true }),
      timeoutMs: fc.integer({ min: 1, max: 1e9 }),
    });
    fc.assert(
      fc.property(settings, fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 0, max: 1e9 }), (polling, n, age) => {
        const next = nextPoll(polling, n, age);
        if (next.kind === 'overdue') return assert.ok(age >= polling.timeoutMs);
        assert.ok(age + next.waitMs <= polling.timeoutMs);
        assert.ok(next.waitMs <= polling.maxMs);
        const later = nextPoll(polling, n + 1, age);
        assert.ok(later.kind === 'in' && later.waitMs >= next.waitMs);
      }),
    );
  });

  test('aligning to a tick delays a poll, by less than the shortest wait or half of a longer one', () => {
    const polling = { ...DEFAULT_POLLING.fast, minMs: 10_000 };
    const time = fc.integer({ min: 0, max: 2e12 });
    fc.assert(
      fc.property(time, fc.integer({ min: 0, max: 3_600_000 }), (now, wait) => {
        const moved = alignToTick(polling, now, wait);
        assert.ok(moved >= wait && moved < wait + Math.max(polling.minMs, wait / 2), `${wait} → ${moved}`);
        assert.equal((now + moved) % polling.minMs, 0);
        const first = alignToTick(polling, now, wait, false);
        assert.ok(first >= wait && first < wait + polling.minMs);
      }),
    );
  });

  test('a response is fresh from the start of the tick, but never one from before the wait', () => {
    const { fast, standard } = DEFAULT_POLLING;
    const tick = 1_800_000_000_000;
    assert.equal(freshSince(fast, tick, 1), tick);
    assert.equal(freshSince(fast, tick + 9_999, 1), tick);
    assert.equal(freshSince(fast, tick + 10_000, 1), tick + 10_000);
    assert.equal(freshSince(standard, tick + 9 * MINUTE, 1), tick + 6.5 * MINUTE, 'a quarter of ten minutes');
  });

  /**
   * Counts the list requests at full speed: a job every six seconds that takes five to ten minutes, each poll up to
   * three seconds late, and pages of a hundred jobs, newest first.
   */
  function pagesAtFullSpeed(jobs: number): { pages: number; delayMs: number } {
    const polling = DEFAULT_POLLING.fast;
    const start = 1_800_000_000_000;
    const next = Array.from({ length: jobs }, (_, n) => {
      const accepted = start + n * 6_000;
      const ready = accepted + 5 * MINUTE * (1 + ((n * 37) % 61) / 60);
      const first = accepted + alignToTick(polling, accepted, polling.firstMs, false);
      return { n, accepted, ready, polls: 1, at: first + ((n * 7_919) % 3_000) };
    });
    const requestedAt: number[] = [];
    let pages = 0;
    let delayMs = 0;
    while (next.length > 0) {
      const job = next.reduce((soonest, each) => (each.at < soonest.at ? each : soonest));
      const now = job.at;
      const page = Math.floor((Math.min(jobs - 1, Math.floor((now - start) / 6_000)) - job.n) / 100);
      if ((requestedAt[page] ?? 0) < freshSince(polling, now, job.polls)) {
        requestedAt[page] = now;
        pages += 1;
      }
      if (requestedAt[page]! >= job.ready) {
        delayMs += (now - job.ready) / jobs;
        next.splice(next.indexOf(job), 1);
        continue;
      }
      const wait = nextPoll(polling, job.polls, now - job.accepted);
      assert.ok(wait.kind === 'in');
      job.polls += 1;
      job.at = now + alignToTick(polling, now, wait.waitMs) + ((job.n * 104_729 + job.polls * 1_299_709) % 3_000);
    }
    return { pages, delayMs };
  }

  test('at full speed a batch costs at most one list request on average', (t) => {
    const { pages, delayMs } = pagesAtFullSpeed(1_440);
    t.diagnostic(
      `${(pages / 1_440).toFixed(2)} pages a batch; the end is detected ${(delayMs / 1_000).toFixed(0)} s later`,
    );
    assert.ok(pages / 1_440 <= 1, `${pages} pages`);
    assert.ok(delayMs < MINUTE);
  });
});
