import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import type { ApiAnswer, HeaderBudget } from '../submission/answer.ts';
import { openRateLimits, RateLimitedError, type RateLimiter } from './limiter.ts';
import { type Lane, type RateLimits, toRateLimits, type Window } from './limits.ts';

const MINUTE = 60_000;
const limits = toRateLimits();
const general = (remaining: number | null, more: Partial<HeaderBudget> = {}): HeaderBudget => ({
  scope: '',
  windowSeconds: 60,
  limit: 120,
  remaining,
  resetMs: null,
  ...more,
});
const noBudgets = { status: 202, retryAfterMs: null, budgets: [] };

/** A rate limiter with its own clock, on each database. */
function limiterTest(
  name: string,
  body: (b: { limiter: RateLimiter; clock: { at: number }; again: () => Promise<RateLimiter> }) => Promise<void>,
  own: RateLimits = limits,
) {
  for (const dialect of TEST_DIALECTS) {
    test(`${name} (${dialect})`, async (t) => {
      const url = emptyDatabaseUrl(t, dialect);
      const clock = { at: 1_800_000_000_000 };
      const open = async () => {
        const store = await openRateLimits(url, { now: () => clock.at });
        t.after(() => store.close());
        return store.getLimiter('main', own);
      };
      await body({ limiter: await open(), clock, again: open });
    });
  }
}

/** Acquires and commits until denied; returns how many were granted. */
async function drain(limiter: RateLimiter, lane: Lane, most = 100_000): Promise<number> {
  for (let count = 0; count < most; count++) {
    const permit = await limiter.acquire(lane);
    if (permit.kind === 'wait') return count;
    await limiter.commit(permit, noBudgets);
  }
  return most;
}

describe('the rate limiter', () => {
  limiterTest(
    'ten submissions a minute, and the eleventh waits until the first has left the minute',
    async ({ limiter, clock }) => {
      assert.equal(await drain(limiter, 'submission'), 10);
      const refused = await limiter.acquire('submission');
      assert.equal(refused.kind, 'wait');
      if (refused.kind !== 'wait') return;
      assert.ok(refused.waitMs >= MINUTE && refused.waitMs <= MINUTE + 300, `${refused.waitMs}`);
      assert.match(refused.why, /10 submissions a minute/);
      clock.at += refused.waitMs - 1;
      assert.equal((await limiter.acquire('submission')).kind, 'wait');
      clock.at += 1;
      assert.equal(await drain(limiter, 'submission'), 10);
    },
  );

  limiterTest('polls reserve requests for submissions, checks for both', async ({ limiter }) => {
    assert.equal(await drain(limiter, 'check'), 80);
    assert.equal(await drain(limiter, 'poll'), 30);
    assert.equal(await drain(limiter, 'submission'), 10);
    assert.deepEqual(await limiter.getRemaining(), { minute: 0, hour: 2880, day: 29_880, submissions: 0 });
  });

  limiterTest('the reserve of polls does not count submissions that were already made', async ({ limiter }) => {
    assert.equal(await drain(limiter, 'submission'), 10);
    assert.equal(await drain(limiter, 'poll'), 110);
    assert.equal((await limiter.getRemaining()).minute, 0);
  });

  /** A day and a half at full speed, with a day a fiftieth as long, and nine polls a minute. */
  limiterTest(
    'at full speed polls continue all day: they never wait for what submissions have used',
    async ({ limiter, clock }) => {
      for (let minute = 0; minute < 44; minute++) {
        assert.equal(await drain(limiter, 'submission'), 10, `minute ${minute}`);
        for (let page = 0; page < 9; page++) {
          const permit = await limiter.acquire('poll');
          assert.equal(permit.kind, 'permit', `minute ${minute}: ${permit.kind === 'wait' ? permit.why : ''}`);
          if (permit.kind === 'permit') await limiter.commit(permit, noBudgets);
        }
        clock.at += MINUTE + 250;
      }
    },
    { ...limits, day: { limit: 600, lengthMs: 28.8 * MINUTE } },
  );

  limiterTest(
    'a request counts until a minute after its response, however long that took',
    async ({ limiter, clock }) => {
      const permits = [];
      for (let n = 0; n < 10; n++) permits.push(await limiter.acquire('submission'));
      clock.at += 5_000;
      const full = await limiter.acquire('submission');
      assert.ok(full.kind === 'wait' && full.waitMs <= 500, 'a response may arrive any moment');
      for (const permit of permits) if (permit.kind === 'permit') await limiter.commit(permit, noBudgets);
      const refused = await limiter.acquire('submission');
      assert.ok(refused.kind === 'wait' && refused.waitMs >= MINUTE);
    },
  );

  limiterTest(
    'a long window closes every lane only when the service says that nothing is left of it',
    async ({ limiter, clock }) => {
      const hour = (remaining: number) => general(remaining, { windowSeconds: 3_600, limit: 3_000, resetMs: 600_000 });
      const ask = async (remaining: number | null) => {
        const permit = await limiter.acquire('submission');
        if (permit.kind === 'wait') return permit.waitMs;
        await limiter.commit(permit, { ...noBudgets, budgets: remaining === null ? [] : [hour(remaining)] });
        return 0;
      };
      assert.deepEqual([await ask(2_000), await ask(1), await ask(0)], [0, 0, 0]);
      assert.equal(await ask(null), 600_000);
      clock.at += 600_000;
      assert.equal(await ask(null), 0);
    },
  );

  limiterTest('the budget survives a restart and is shared by every process', async ({ limiter, again }) => {
    assert.equal(await drain(limiter, 'submission', 6), 6);
    const other = await again();
    assert.equal(await drain(other, 'submission'), 4);
    assert.equal((await limiter.acquire('submission')).kind, 'wait');
  });

  limiterTest("a dead process's requests count as answered once none can be in flight", async ({ limiter, clock }) => {
    for (let n = 0; n < 10; n++) await limiter.acquire('submission');
    clock.at += 119_999;
    assert.equal((await limiter.acquire('submission')).kind, 'wait');
    clock.at += 1;
    const refused = await limiter.acquire('submission');
    assert.ok(refused.kind === 'wait' && refused.waitMs >= MINUTE);
    clock.at += refused.waitMs;
    assert.equal(await drain(limiter, 'submission'), 10);
  });

  limiterTest(
    'a 429 closes its lane for as long as the service asks, across restarts',
    async ({ limiter, clock, again }) => {
      const permit = await limiter.acquire('submission');
      assert.ok(permit.kind === 'permit');
      await limiter.commit(permit, { status: 429, retryAfterMs: 3_600_000, budgets: [] });
      const refused = await (await again()).acquire('submission');
      assert.deepEqual([refused.kind, refused.kind === 'wait' && refused.waitMs], ['wait', 3_600_000]);
      assert.equal((await limiter.acquire('poll')).kind, 'permit', 'the submission limit is not the general one');
      clock.at += 3_600_000;
      assert.equal((await limiter.acquire('submission')).kind, 'permit');
    },
  );

  limiterTest('a 429 for a poll closes the key, for a minute without Retry-After', async ({ limiter }) => {
    const permit = await limiter.acquire('poll');
    assert.ok(permit.kind === 'permit');
    await limiter.commit(permit, { status: 429, retryAfterMs: null, budgets: [] });
    for (const lane of ['submission', 'poll', 'check'] as const) {
      const refused = await limiter.acquire(lane);
      assert.ok(refused.kind === 'wait' && refused.waitMs === MINUTE, lane);
    }
  });

  limiterTest('headers that show external usage shrink the budget and restore it', async ({ limiter, clock }) => {
    const poll = async (budgets: HeaderBudget[]) => {
      const permit = await limiter.acquire('poll');
      assert.ok(permit.kind === 'permit', permit.kind === 'wait' ? permit.why : '');
      await limiter.commit(permit, { status: 200, retryAfterMs: null, budgets });
    };
    await poll([general(119)]);
    assert.equal((await limiter.getRemaining()).minute, 119);
    await poll([general(40, { resetMs: 30_000 })]);
    assert.equal((await limiter.getRemaining()).minute, 40);
    assert.equal(await drain(limiter, 'poll'), 30);
    clock.at += 30_000;
    assert.equal((await limiter.getRemaining()).minute, 88);
    await poll([general(20)]);
    await poll([general(87)]);
    assert.equal(
      (await limiter.getRemaining()).minute,
      86,
      'the latest header counts, plus one request that it does not include',
    );
  });

  limiterTest('our own requests in flight do not count as external usage', async ({ limiter }) => {
    const permits = [];
    for (let n = 0; n < 5; n++) permits.push(await limiter.acquire('submission'));
    const first = permits[0]!;
    assert.ok(first.kind === 'permit');
    const lane = { scope: 'submissions', windowSeconds: 60, limit: 10, remaining: 5, resetMs: 60_000 };
    await limiter.commit(first, { status: 202, retryAfterMs: null, budgets: [general(115), lane] });
    assert.deepEqual(await limiter.getRemaining(), { minute: 115, hour: 2995, day: 29_995, submissions: 5 });
  });

  limiterTest('headers about another window or another limit change nothing', async ({ limiter }) => {
    const permit = await limiter.acquire('submission');
    assert.ok(permit.kind === 'permit');
    const budgets = [
      general(0, { windowSeconds: 7 }),
      general(0, { windowSeconds: null, limit: 50 }),
      general(0, { scope: 'search' }),
      general(3, { limit: 10 }),
    ];
    await limiter.commit(permit, { status: 202, retryAfterMs: null, budgets });
    assert.deepEqual(await limiter.getRemaining(), { minute: 119, hour: 2999, day: 29_999, submissions: 3 });
  });

  const day = (limit: number, remaining: number) => general(remaining, { windowSeconds: 86_400, limit });
  const generous = toRateLimits({ minute: 100_000, hour: 500_000, day: 1_000_000, submissionsPerMinute: 1_000 });

  limiterTest(
    "a configured limit above the service's is lowered, not counted as external usage: polls continue",
    async ({ limiter, again }) => {
      const permit = await limiter.acquire('submission');
      assert.ok(permit.kind === 'permit');
      await limiter.commit(permit, { status: 202, retryAfterMs: null, budgets: [day(300, 299)] });
      assert.equal((await limiter.getRemaining()).day, 299);
      assert.equal(
        (await (await again()).acquire('poll')).kind,
        'permit',
        'requests that never existed are not reserved for submissions',
      );
      assert.equal(await drain(limiter, 'poll'), 149, 'half of the 300 is reserved for submissions');
    },
    generous,
  );

  limiterTest(
    'the lower limit holds until the service reports a higher one; a limit in an error response is ignored',
    async ({ limiter }) => {
      const hear = async (status: number, reported: HeaderBudget) => {
        const permit = await limiter.acquire('submission');
        assert.ok(permit.kind === 'permit');
        await limiter.commit(permit, { status, retryAfterMs: null, budgets: [reported] });
      };
      await hear(202, day(100, 99));
      assert.equal((await limiter.getRemaining()).day, 99);
      await hear(202, day(500, 498));
      assert.equal((await limiter.getRemaining()).day, 498);
      await hear(502, day(3, 480));
      assert.equal((await limiter.getRemaining()).day, 480);
      await hear(202, day(0, 480));
      assert.equal((await limiter.getRemaining()).day, 480, 'a limit of zero would never be corrected');
    },
  );

  limiterTest('the configured limit holds when the service reports a higher one', async ({ limiter }) => {
    const permit = await limiter.acquire('submission');
    assert.ok(permit.kind === 'permit');
    await limiter.commit(permit, { status: 202, retryAfterMs: null, budgets: [general(600, { limit: 601 })] });
    assert.deepEqual(await limiter.getRemaining(), { minute: 119, hour: 2999, day: 29_999, submissions: 9 });
  });

  limiterTest(
    'an hour that the service reports as used up waits for its reset, even where we count less',
    async ({ limiter, clock, again }) => {
      assert.equal(await drain(limiter, 'submission'), 4);
      clock.at += 30 * MINUTE;
      const permit = await limiter.acquire('submission');
      assert.ok(permit.kind === 'permit');
      // It counts in slices of ten minutes: the first four stay in its hour for up to seventy minutes.
      const reported = general(0, { windowSeconds: 3_600, limit: 5, resetMs: 40 * MINUTE });
      await limiter.commit(permit, { status: 202, retryAfterMs: null, budgets: [reported] });
      clock.at += 40 * MINUTE - 1;
      assert.equal((await (await again()).acquire('poll')).kind, 'wait');
      clock.at += 1;
      assert.equal((await limiter.acquire('submission')).kind, 'permit');
    },
    toRateLimits({ hour: 5, submissionsPerMinute: 4 }),
  );

  limiterTest('correcting a clock that was ahead does not lock the key', async ({ limiter, clock }) => {
    clock.at += 7 * 86_400_000;
    assert.equal(await drain(limiter, 'submission'), 10);
    clock.at -= 7 * 86_400_000;
    const refused = await limiter.acquire('submission');
    assert.ok(refused.kind === 'wait' && refused.waitMs <= MINUTE + 300);
  });

  limiterTest('sends a request only with a permit, and commits it even when it throws', async ({ limiter }) => {
    const answer = {
      ...noBudgets,
      endpoint: 'balance',
      body: { kind: 'success', data: 7 },
      requestId: null,
      tookMs: 1,
    } as const;
    const got: ApiAnswer<number> = await limiter.request('poll', async () => answer);
    assert.equal(got, answer);
    await assert.rejects(
      limiter.request('poll', () => Promise.reject(new Error('cancelled'))),
      /cancelled/,
    );
    assert.equal((await limiter.getRemaining()).minute, 118);
    await drain(limiter, 'submission');
    await assert.rejects(
      limiter.request('submission', () => assert.fail('sent')),
      (error) => error instanceof RateLimitedError && error.waitMs > 0 && /nothing was sent/.test(error.message),
    );
  });

  limiterTest('an unused permit is returned', async ({ limiter }) => {
    for (let n = 0; n < 30; n++) {
      const permit = await limiter.acquire('submission');
      assert.ok(permit.kind === 'permit');
      await limiter.cancel(permit);
    }
    assert.deepEqual(await limiter.getRemaining(), { minute: 120, hour: 3000, day: 30_000, submissions: 10 });
  });

  /** Counts like a strict service: arrivals within any stretch of the window's length. */
  function strictly(arrivals: readonly number[], { limit, lengthMs }: { limit: number; lengthMs: number }): boolean {
    return arrivals.every((at, n) => n < limit || at - arrivals[n - limit]! >= lengthMs);
  }

  test('whatever the network does, a strict service never counts more than its limits, and they are fully used', async () => {
    const latency = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 7, maxLength: 7 });
    const small = { ...limits, minute: { limit: 14, lengthMs: MINUTE }, hour: { limit: 500, lengthMs: 60 * MINUTE } };
    await fc.assert(
      fc.asyncProperty(latency, fc.integer({ min: 1, max: 4 }), async (latencies, workers) => {
        let time = 1_800_000_000_000;
        const start = time;
        const store = await openRateLimits('sqlite::memory:', { now: () => time });
        const limiter = store.getLimiter('main', small);
        const arrivals: { at: number; lane: Lane }[] = [];
        /** What the service reports as remaining when a request arrives. */
        const headersAt = (at: number, lane: Lane): HeaderBudget[] => {
          const left = (of: Lane | null, { limit, lengthMs }: Window) =>
            limit -
            arrivals.filter((one) => one.at <= at && one.at > at - lengthMs && (of ?? one.lane) === one.lane).length;
          const lanes =
            lane === 'submission' ? [{ scope: 'submissions', remaining: left(lane, small.submissions) }] : [];
          return [{ scope: '', remaining: left(null, small.minute) }, ...lanes].map((reported) => ({
            ...reported,
            windowSeconds: 60,
            limit: null,
            resetMs: null,
          }));
        };
        // Each worker submits as soon as it may, and polls while it waits.
        const next = Array.from({ length: workers }, () => ({ at: time, run: async (): Promise<number> => 0 }));
        let requests = 0;
        const step = async (lane: Lane, worker: (typeof next)[number], submitAt = 0): Promise<number> => {
          const permit = await limiter.acquire(lane);
          if (permit.kind === 'wait') {
            const { waitMs } = permit;
            const turn = lane === 'submission' ? time + waitMs : submitAt;
            const polls = lane === 'submission' && waitMs > 2_000;
            worker.run = () => step(polls ? 'poll' : 'submission', worker, turn);
            return polls ? 0 : Math.min(waitMs, Math.max(1, turn - time));
          }
          const took = latencies[requests++ % latencies.length]!;
          const arrival = { at: time + Math.round((took * (requests % 3)) / 2), lane };
          arrivals.push(arrival);
          worker.run = async () => {
            await limiter.commit(permit, { ...noBudgets, budgets: headersAt(arrival.at, lane) });
            worker.run = () => step('submission', worker);
            return 0;
          };
          return took;
        };
        for (const worker of next) worker.run = () => step('submission', worker);
        while (time < start + 10 * MINUTE) {
          const worker = next.reduce((first, each) => (each.at < first.at ? each : first));
          time = Math.max(time, worker.at);
          worker.at = time + (await worker.run());
        }
        await store.close();
        const times = (of: readonly { at: number }[]) => of.map(({ at }) => at).toSorted((a, b) => a - b);
        assert.ok(strictly(times(arrivals), small.minute));
        const submissions = arrivals.filter(({ lane }) => lane === 'submission');
        assert.ok(strictly(times(submissions), small.submissions));
        // Ten minutes; a worker that is polling when its slot becomes free is late by a response time or two.
        assert.ok(submissions.length >= 90, `${submissions.length} of 100`);
      }),
      { numRuns: 8 },
    );
  });
});
