import assert from 'node:assert/strict';
import { test } from 'node:test';
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
const quiet = { status: 202, retryAfterMs: null, budgets: [] };

/** A budget on a clock of its own, on each database. */
function budgetTest(
  name: string,
  body: (b: { budget: RateLimiter; clock: { at: number }; again: () => Promise<RateLimiter> }) => Promise<void>,
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
      await body({ budget: await open(), clock, again: open });
    });
  }
}

/** Takes and settles until there is no more; tells how many it were. */
async function drain(budget: RateLimiter, lane: Lane, most = 100_000): Promise<number> {
  for (let count = 0; count < most; count++) {
    const ticket = await budget.acquire(lane);
    if (ticket.kind === 'wait') return count;
    await budget.commit(ticket, quiet);
  }
  return most;
}

budgetTest(
  'ten submissions a minute, and the eleventh waits until the first has left the minute',
  async ({ budget, clock }) => {
    assert.equal(await drain(budget, 'submission'), 10);
    const refused = await budget.acquire('submission');
    assert.equal(refused.kind, 'wait');
    if (refused.kind !== 'wait') return;
    assert.ok(refused.waitMs >= MINUTE && refused.waitMs <= MINUTE + 300, `${refused.waitMs}`);
    assert.match(refused.why, /10 submissions a minute/);
    clock.at += refused.waitMs - 1;
    assert.equal((await budget.acquire('submission')).kind, 'wait');
    clock.at += 1;
    assert.equal(await drain(budget, 'submission'), 10);
  },
);

budgetTest('polls leave what submissions need, checks leave it to both', async ({ budget }) => {
  assert.equal(await drain(budget, 'check'), 80);
  assert.equal(await drain(budget, 'poll'), 30);
  assert.equal(await drain(budget, 'submission'), 10);
  assert.deepEqual(await budget.getRemaining(), { minute: 0, hour: 2880, day: 29_880, submissions: 0 });
});

budgetTest('what polls leave to submissions is not kept for those that were made a second time', async ({ budget }) => {
  assert.equal(await drain(budget, 'submission'), 10);
  assert.equal(await drain(budget, 'poll'), 110);
  assert.equal((await budget.getRemaining()).minute, 0);
});

/** A day and a half at full speed, the day being a fiftieth of one, with nine polls a minute. */
budgetTest(
  'at full speed polls go on all day: they never wait for what submissions have used',
  async ({ budget, clock }) => {
    for (let minute = 0; minute < 44; minute++) {
      assert.equal(await drain(budget, 'submission'), 10, `minute ${minute}`);
      for (let page = 0; page < 9; page++) {
        const ticket = await budget.acquire('poll');
        assert.equal(ticket.kind, 'ticket', `minute ${minute}: ${ticket.kind === 'wait' ? ticket.why : ''}`);
        if (ticket.kind === 'ticket') await budget.commit(ticket, quiet);
      }
      clock.at += MINUTE + 250;
    }
  },
  { ...limits, day: { limit: 600, lengthMs: 28.8 * MINUTE } },
);

budgetTest('a request counts until a minute after its answer, however long that took', async ({ budget, clock }) => {
  const tickets = [];
  for (let n = 0; n < 10; n++) tickets.push(await budget.acquire('submission'));
  clock.at += 5_000;
  const full = await budget.acquire('submission');
  assert.ok(full.kind === 'wait' && full.waitMs <= 500, 'an answer may come any moment');
  for (const ticket of tickets) if (ticket.kind === 'ticket') await budget.commit(ticket, quiet);
  const refused = await budget.acquire('submission');
  assert.ok(refused.kind === 'wait' && refused.waitMs >= MINUTE);
});

budgetTest('the budget is the same after a restart, and for every process', async ({ budget, again }) => {
  assert.equal(await drain(budget, 'submission', 6), 6);
  const other = await again();
  assert.equal(await drain(other, 'submission'), 4);
  assert.equal((await budget.acquire('submission')).kind, 'wait');
});

budgetTest(
  'the requests of a process that died count as answered when nothing can be under way any more',
  async ({ budget, clock }) => {
    for (let n = 0; n < 10; n++) await budget.acquire('submission');
    clock.at += 119_999;
    assert.equal((await budget.acquire('submission')).kind, 'wait');
    clock.at += 1;
    const refused = await budget.acquire('submission');
    assert.ok(refused.kind === 'wait' && refused.waitMs >= MINUTE);
    clock.at += refused.waitMs;
    assert.equal(await drain(budget, 'submission'), 10);
  },
);

budgetTest(
  'a 429 closes its lane for as long as the service asks, also over a restart',
  async ({ budget, clock, again }) => {
    const ticket = await budget.acquire('submission');
    assert.ok(ticket.kind === 'ticket');
    await budget.commit(ticket, { status: 429, retryAfterMs: 3_600_000, budgets: [] });
    const refused = await (await again()).acquire('submission');
    assert.deepEqual([refused.kind, refused.kind === 'wait' && refused.waitMs], ['wait', 3_600_000]);
    assert.equal((await budget.acquire('poll')).kind, 'ticket', 'the submission limit is not the general one');
    clock.at += 3_600_000;
    assert.equal((await budget.acquire('submission')).kind, 'ticket');
  },
);

budgetTest('a poll that is refused closes the key, for a minute where nothing is said', async ({ budget }) => {
  const ticket = await budget.acquire('poll');
  assert.ok(ticket.kind === 'ticket');
  await budget.commit(ticket, { status: 429, retryAfterMs: null, budgets: [] });
  for (const lane of ['submission', 'poll', 'check'] as const) {
    const refused = await budget.acquire(lane);
    assert.ok(refused.kind === 'wait' && refused.waitMs === MINUTE, lane);
  }
});

budgetTest('headers that tell of others at the key shrink the budget, and give it back', async ({ budget, clock }) => {
  const poll = async (budgets: HeaderBudget[]) => {
    const ticket = await budget.acquire('poll');
    assert.ok(ticket.kind === 'ticket', ticket.kind === 'wait' ? ticket.why : '');
    await budget.commit(ticket, { status: 200, retryAfterMs: null, budgets });
  };
  await poll([general(119)]);
  assert.equal((await budget.getRemaining()).minute, 119);
  await poll([general(40, { resetMs: 30_000 })]);
  assert.equal((await budget.getRemaining()).minute, 40);
  assert.equal(await drain(budget, 'poll'), 30);
  clock.at += 30_000;
  assert.equal((await budget.getRemaining()).minute, 88);
  await poll([general(20)]);
  await poll([general(87)]);
  assert.equal((await budget.getRemaining()).minute, 86, 'the last word counts, and we know of one more than it');
});

budgetTest('our own requests under way are not taken for those of others', async ({ budget }) => {
  const tickets = [];
  for (let n = 0; n < 5; n++) tickets.push(await budget.acquire('submission'));
  const first = tickets[0]!;
  assert.ok(first.kind === 'ticket');
  const lane = { scope: 'submissions', windowSeconds: 60, limit: 10, remaining: 5, resetMs: 60_000 };
  await budget.commit(first, { status: 202, retryAfterMs: null, budgets: [general(115), lane] });
  assert.deepEqual(await budget.getRemaining(), { minute: 115, hour: 2995, day: 29_995, submissions: 5 });
});

budgetTest('headers about another window or another limit change nothing', async ({ budget }) => {
  const ticket = await budget.acquire('submission');
  assert.ok(ticket.kind === 'ticket');
  const budgets = [
    general(0, { windowSeconds: 7 }),
    general(0, { windowSeconds: null, limit: 50 }),
    general(0, { scope: 'search' }),
    general(3, { limit: 10 }),
  ];
  await budget.commit(ticket, { status: 202, retryAfterMs: null, budgets });
  assert.deepEqual(await budget.getRemaining(), { minute: 119, hour: 2999, day: 29_999, submissions: 3 });
});

const day = (limit: number, remaining: number) => general(remaining, { windowSeconds: 86_400, limit });
const generous = toRateLimits({ minute: 100_000, hour: 500_000, day: 1_000_000, submissionsPerMinute: 1_000 });

budgetTest(
  'a configured limit above that of the service counts as its limit, not as used by others: polls go on',
  async ({ budget, again }) => {
    const ticket = await budget.acquire('submission');
    assert.ok(ticket.kind === 'ticket');
    await budget.commit(ticket, { status: 202, retryAfterMs: null, budgets: [day(300, 299)] });
    assert.equal((await budget.getRemaining()).day, 299);
    assert.equal(
      (await (await again()).acquire('poll')).kind,
      'ticket',
      'what never was there is not kept for submissions',
    );
    assert.equal(await drain(budget, 'poll'), 149, 'half of the 300 is kept for submissions');
  },
  generous,
);

budgetTest(
  'the lower limit holds until the service names a higher one; one that an error names is not believed',
  async ({ budget }) => {
    const hear = async (status: number, reported: HeaderBudget) => {
      const ticket = await budget.acquire('submission');
      assert.ok(ticket.kind === 'ticket');
      await budget.commit(ticket, { status, retryAfterMs: null, budgets: [reported] });
    };
    await hear(202, day(100, 99));
    assert.equal((await budget.getRemaining()).day, 99);
    await hear(202, day(500, 498));
    assert.equal((await budget.getRemaining()).day, 498);
    await hear(502, day(3, 480));
    assert.equal((await budget.getRemaining()).day, 480);
    await hear(202, day(0, 480));
    assert.equal((await budget.getRemaining()).day, 480, 'a limit of nothing would never be corrected');
  },
);

budgetTest('a service whose limit is higher than the configured one leaves the configured one', async ({ budget }) => {
  const ticket = await budget.acquire('submission');
  assert.ok(ticket.kind === 'ticket');
  await budget.commit(ticket, { status: 202, retryAfterMs: null, budgets: [general(600, { limit: 601 })] });
  assert.deepEqual(await budget.getRemaining(), { minute: 119, hour: 2999, day: 29_999, submissions: 9 });
});

budgetTest(
  'an hour that the service calls used up is not tried before its reset, also where we count less',
  async ({ budget, clock, again }) => {
    assert.equal(await drain(budget, 'submission'), 4);
    clock.at += 30 * MINUTE;
    const ticket = await budget.acquire('submission');
    assert.ok(ticket.kind === 'ticket');
    // It counts in pieces of ten minutes: the first four are in its hour for up to seventy minutes.
    const reported = general(0, { windowSeconds: 3_600, limit: 5, resetMs: 40 * MINUTE });
    await budget.commit(ticket, { status: 202, retryAfterMs: null, budgets: [reported] });
    clock.at += 40 * MINUTE - 1;
    assert.equal((await (await again()).acquire('poll')).kind, 'wait');
    clock.at += 1;
    assert.equal((await budget.acquire('submission')).kind, 'ticket');
  },
  toRateLimits({ hour: 5, submissionsPerMinute: 4 }),
);

budgetTest('a clock that was ahead and is set right does not lock the key', async ({ budget, clock }) => {
  clock.at += 7 * 86_400_000;
  assert.equal(await drain(budget, 'submission'), 10);
  clock.at -= 7 * 86_400_000;
  const refused = await budget.acquire('submission');
  assert.ok(refused.kind === 'wait' && refused.waitMs <= MINUTE + 300);
});

budgetTest('a request is sent only with a ticket, and settled also when it throws', async ({ budget }) => {
  const answer = {
    ...quiet,
    endpoint: 'balance',
    body: { kind: 'success', data: 7 },
    requestId: null,
    tookMs: 1,
  } as const;
  const got: ApiAnswer<number> = await budget.request('poll', async () => answer);
  assert.equal(got, answer);
  await assert.rejects(
    budget.request('poll', () => Promise.reject(new Error('cancelled'))),
    /cancelled/,
  );
  assert.equal((await budget.getRemaining()).minute, 118);
  await drain(budget, 'submission');
  await assert.rejects(
    budget.request('submission', () => assert.fail('sent')),
    (error) => error instanceof RateLimitedError && error.waitMs > 0 && /nothing was sent/.test(error.message),
  );
});

budgetTest('a permission that was not used is given back', async ({ budget }) => {
  for (let n = 0; n < 30; n++) {
    const ticket = await budget.acquire('submission');
    assert.ok(ticket.kind === 'ticket');
    await budget.cancel(ticket);
  }
  assert.deepEqual(await budget.getRemaining(), { minute: 120, hour: 3000, day: 30_000, submissions: 10 });
});

/** What a strict service counts: arrivals within any stretch of the window's length. */
function strictly(arrivals: readonly number[], { limit, lengthMs }: { limit: number; lengthMs: number }): boolean {
  return arrivals.every((at, n) => n < limit || at - arrivals[n - limit]! >= lengthMs);
}

test('whatever the network does, a strict service never counts more than its limits, and full use is made of them', async () => {
  const latency = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 7, maxLength: 7 });
  const small = { ...limits, minute: { limit: 14, lengthMs: MINUTE }, hour: { limit: 500, lengthMs: 60 * MINUTE } };
  await fc.assert(
    fc.asyncProperty(latency, fc.integer({ min: 1, max: 4 }), async (latencies, workers) => {
      let time = 1_800_000_000_000;
      const start = time;
      const store = await openRateLimits('sqlite::memory:', { now: () => time });
      const budget = store.getLimiter('main', small);
      const arrivals: { at: number; lane: Lane }[] = [];
      /** What the service says is left when a request arrives. */
      const headersAt = (at: number, lane: Lane): HeaderBudget[] => {
        const left = (of: Lane | null, { limit, lengthMs }: Window) =>
          limit -
          arrivals.filter((one) => one.at <= at && one.at > at - lengthMs && (of ?? one.lane) === one.lane).length;
        const lanes = lane === 'submission' ? [{ scope: 'submissions', remaining: left(lane, small.submissions) }] : [];
        return [{ scope: '', remaining: left(null, small.minute) }, ...lanes].map((reported) => ({
          ...reported,
          windowSeconds: 60,
          limit: null,
          resetMs: null,
        }));
      };
      // Each worker submits as soon as it may, and polls while it has to wait for that.
      const next = Array.from({ length: workers }, () => ({ at: time, run: async (): Promise<number> => 0 }));
      let requests = 0;
      const step = async (lane: Lane, worker: (typeof next)[number], submitAt = 0): Promise<number> => {
        const ticket = await budget.acquire(lane);
        if (ticket.kind === 'wait') {
          const { waitMs } = ticket;
          const turn = lane === 'submission' ? time + waitMs : submitAt;
          const polls = lane === 'submission' && waitMs > 2_000;
          worker.run = () => step(polls ? 'poll' : 'submission', worker, turn);
          return polls ? 0 : Math.min(waitMs, Math.max(1, turn - time));
        }
        const took = latencies[requests++ % latencies.length]!;
        const arrival = { at: time + Math.round((took * (requests % 3)) / 2), lane };
        arrivals.push(arrival);
        worker.run = async () => {
          await budget.commit(ticket, { ...quiet, budgets: headersAt(arrival.at, lane) });
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
      // Ten minutes; a worker that is asking when its turn comes is late by the time of an answer or two.
      assert.ok(submissions.length >= 90, `${submissions.length} of 100`);
    }),
    { numRuns: 8 },
  );
});
