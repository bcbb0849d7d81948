import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import type { Micros } from '../../contract/money.ts';
import type { BatchId } from '../../src/submission/ids.ts';
import type { Activities } from '../../src/temporal-api/activities.ts';
import { planQuery, pollNowSignal, statusQuery, urlsQuery, wakeSignal } from '../../src/temporal-api/messages.ts';
import type { DispatchStep, JobStatus } from '../../src/temporal-api/payloads.ts';
import type { CanWait, Waiting } from '../../src/temporal-api/waits.ts';
import type { WatchResult } from '../../src/temporal-api/workflows.ts';
import { crawl, events, HOLD, plan, report, runActivities, started, toStatus, watch } from './scenarios.ts';

const lira = (amount: number) => (amount * 1_000_000) as Micros;

/** What an activity returns to a workflow that shows its waits (activities/shown-waits.ts). */
const waiting = (waitMs: number, why: string, { waits }: CanWait): Waiting => ({
  waiting: {
    waitMs,
    why,
    next: 'next check 2026-01-31 04:30 Europe/Istanbul',
    attempts: (waits?.attempts ?? 0) + 1,
    since: waits?.since ?? 7,
  },
});

/** Summaries of the timers of a history, as the Web UI shows them. */
async function listTimers(handle: WorkflowHandle): Promise<string[]> {
  const { events: all = [] } = await handle.fetchHistory();
  return (all ?? [])
    .filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes != null)
    .map(({ userMetadata }) => {
      const summary = userMetadata?.summary;
      return summary == null ? '' : defaultPayloadConverter.fromPayload<string>(summary);
    });
}

/** Waits for the first timer, whose summary it returns. */
async function firstTimer(handle: WorkflowHandle): Promise<string> {
  for (;;) {
    const [first] = await listTimers(handle);
    if (first !== undefined) return first;
  }
}

describe('a run that waits', () => {
  test('a held run asks on a timer for a decision, with the money, and answers an update without data', async (t) => {
    const activities = runActivities({
      diffRun: async () => ({ ...COUNTS, new: 4_210 }),
      judgeRun: async () => HOLD,
    });
    const handle = await (await started(t, activities)).watch('held-with-question');
    const summary = await firstTimer(handle);
    assert.match(summary, /^HELD: approve or reject 4,210 URLs, 1,052\.50 TRY \(52\.50 TRY of it missing/);
    assert.match(summary, /held since 2026-01-31 04:30 Europe\/Istanbul$/);
    const status = await handle.query(statusQuery);
    assert.deepEqual([status.summary.slice(0, 5), status.phase], ['HELD:', 'held']);
    assert.match((await handle.query(planQuery)).summary, /^HELD: approve or reject 4,210 URLs/);
    assert.deepEqual((await handle.query(urlsQuery)).sample, HOLD.sample);
    assert.match(String(await handle.executeUpdate('approve', { args: ['ayşe'] })), /^approved by ayşe\./);
    const result = await handle.result();
    assert.equal(result.decision, 'approved');
    assert.match(result.summary, /^Submitted 7 URLs for 1\.75 TRY\./);
    assert.equal(Object.keys(result)[0], 'summary', 'the sentence comes first');
  });

  test('a run whose account lacks money says so on a timer, and continues when the batches are accepted', async (t) => {
    const asked: CanWait[] = [];
    const why = '1 of 1 batch not accepted yet. Account main: 1.25 TRY missing';
    const awaitRun = async (input: CanWait) => {
      asked.push({ ...input });
      return asked.length < 3 ? waiting(20, why, input) : report;
    };
    const activities = runActivities({ awaitRun: awaitRun as unknown as Activities['awaitRun'] });
    const handle = await (await started(t, activities)).watch('waits-for-money');
    await handle.result();
    const [summary] = await listTimers(handle);
    assert.equal(summary, `WAITING: ${why}; next check 2026-01-31 04:30 Europe/Istanbul`);
    assert.deepEqual(
      asked.map(({ waits }) => [waits?.attempts, waits?.since]),
      [
        [0, null],
        [1, 7],
        [2, 7],
      ],
      'its delays grow over all calls',
    );
  });
});

describe('a run that waits for the end of its jobs', () => {
  test('checks at once when it is woken, and ends', async (t) => {
    let calls = 0;
    const half = 1_800_000;
    const awaitRun = async (input: CanWait) => (++calls === 1 ? waiting(half, '1 job is open', input) : report);
    const activities = runActivities({ awaitRun: awaitRun as unknown as Activities['awaitRun'] });
    const handle = await (await started(t, activities)).watch('woken-at-the-end');
    await firstTimer(handle);
    await handle.signal(wakeSignal);
    assert.match((await handle.result()).summary, /^Submitted 7 URLs/);
    assert.equal(calls, 2);
  });
});

const COUNTS = { found: 10, new: 7, changed: 0, known: 3, gone: 0, skipped: 0, complete: true, firstRun: false };
const UNREAD = 'https://shop.example/sitemap.xml: HTTP 404';
const NOTHING = { ...plan, batches: 0, urls: 0, cost: 0 as Micros, sample: [] };

describe('a run that could not read everything', () => {
  const failing = async (handle: WorkflowHandle): Promise<ApplicationFailure> => {
    const error = await handle.result().then(
      () => assert.fail('the run completed'),
      (failed: unknown) => failed,
    );
    assert.ok(error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure);
    return error.cause;
  };

  test('fails with the reason when it could read nothing, and keeps its result', async (t) => {
    const activities = runActivities({
      crawlWatch: async () => ({ ...crawl, urls: 0, complete: false, problems: [UNREAD] }),
      planRun: async () => NOTHING,
      finishRun: async () => ({ incompleteRuns: 1, limit: 2 }),
    });
    const cause = await failing(await (await started(t, activities)).watch('nothing-read'));
    assert.equal(cause.type, 'NothingRead');
    assert.match(cause.message, /^Nothing could be read: .*HTTP 404\. Nothing was submitted or charged by this run\./);
    assert.deepEqual(
      (cause.details as WatchResult[]).map(({ crawl }) => crawl.complete),
      [false],
    );
  });

  for (const [incompleteRuns, scenario] of [
    [1, 'incomplete-once'],
    [2, 'incomplete-twice'],
  ] as const) {
    test(`fails the second time in a row, not before (${scenario})`, async (t) => {
      const activities = runActivities({
        crawlWatch: async () => ({ ...crawl, complete: false, problems: [UNREAD] }),
        finishRun: async () => ({ incompleteRuns, limit: 2 }),
      });
      const handle = await (await started(t, activities)).watch(scenario);
      if (incompleteRuns === 2) {
        assert.match((await failing(handle)).message, /^Incomplete 2 times in a row: .*Submitted 7 URLs for 1\.75 TRY/);
      } else {
        assert.match((await handle.result()).summary, /^INCOMPLETE: https:.*HTTP 404\. Submitted 7 URLs/);
      }
      const { searchAttributes } = await handle.describe();
      assert.deepEqual(searchAttributes.CourierPhase, [incompleteRuns === 2 ? 'failed' : 'incomplete']);
    });
  }
});

describe('an account that waits', () => {
  const sent: DispatchStep = {
    kind: 'sent',
    batch: 1 as BatchId,
    watch,
    urls: 5,
    service: 'fast',
    outcome: 'accepted',
  };

  for (const [kind, activity, scenario, label] of [
    ['suspended', 'awaitMoney', 'suspended-shown', 'SUSPENDED'],
    ['key_rejected', 'awaitKey', 'key-rejected-shown', 'KEY REJECTED'],
  ] as const) {
    test(`${kind}: says on a timer what is missing, and continues by itself`, async (t) => {
      const steps: DispatchStep[] = [{ kind, reason: 'balance 10.00 TRY' }, sent];
      let polls = 0;
      const wait = async (input: CanWait) => (++polls < 3 ? waiting(20, '40.00 TRY missing', input) : undefined);
      const sendNextBatch = async (): Promise<DispatchStep> => steps.shift() ?? { kind: 'idle' };
      const handle = await (await started(t, { sendNextBatch, [activity]: wait as Activities['awaitMoney'] })).dispatch(
        scenario,
      );
      assert.equal((await handle.result()).sentUrls, 5);
      const timer = `${label}: 40.00 TRY missing; next check 2026-01-31 04:30 Europe/Istanbul`;
      assert.deepEqual(await listTimers(handle), [timer, timer]);
    });
  }

  test('a signal ends a wait that is shown at once, also one for the next attempt', async (t) => {
    const steps: unknown[] = [{ kind: 'suspended', reason: 'no money' }, 'wait'];
    const hour = async (input: CanWait) => waiting(3_600_000, 'no money', input);
    const sendNextBatch = async (input: CanWait) => {
      const step = steps.shift() ?? { kind: 'idle' };
      return step === 'wait' ? waiting(3_600_000, '3 batches wait', input) : (step as DispatchStep);
    };
    const activities = { sendNextBatch, awaitMoney: hour } as unknown as Partial<Activities>;
    const handle = await (await started(t, activities)).dispatch('woken-while-shown');
    for (let timers = 1; timers <= 2; timers++) {
      while ((await listTimers(handle)).length < timers);
      assert.match(
        (await handle.query(statusQuery)).summary,
        timers === 1 ? /^SUSPENDED: no money/ : /^WAITING: 3 batches/,
      );
      await handle.signal(wakeSignal);
    }
    assert.equal((await handle.result()).sentBatches, 0);
  });
});

describe('a job that is polled', () => {
  test('shows each next poll with its time where few jobs are open, and a signal polls at once', async (t) => {
    let polls = 0;
    const followSubmission = async (input: CanWait): Promise<JobStatus | Waiting> => {
      polls += 1;
      if (polls === 1) return waiting(20, 'REF-1 is queued, polled once', input);
      if (polls === 2) return waiting(3_600_000, 'REF-1 is queued, polled 2 times', input);
      return toStatus('completed', true);
    };
    const activities = { followSubmission } as unknown as Partial<Activities>;
    const handle = await (await started(t, activities)).track('polls-shown', { showsPolls: true });
    while ((await listTimers(handle)).length < 3);
    await handle.signal(pollNowSignal);
    const result = await handle.result();
    assert.equal(result.summary, 'The job is completed: 7 URLs completed.');
    const [first, second] = await listTimers(handle);
    assert.equal(first, 'Accepted: 7 URLs, 1.75 TRY charged; first poll at 2026-01-31 04:30 Europe/Istanbul');
    assert.match(second ?? '', /^OPEN, 7 URLs, 1\.75 TRY charged: REF-1 is queued, polled once; next check 2026/);
    // Measured: what docs/decisions/0007 says of a poll that is shown.
    assert.ok((await events(handle)) <= 12 + 3 * 11 + 8, `${await events(handle)} events`);
  });
});

describe('index-checks that wait', () => {
  test('say on a timer what for', async (t) => {
    let asked = 0;
    const checkNextBatch = async (input: CanWait) => {
      asked += 1;
      if (asked === 1) return waiting(20, 'no request is left this hour', input);
      return asked === 2 ? { kind: 'checked', urls: 50, found: 20, charged: lira(25), stop: null } : { kind: 'idle' };
    };
    const handle = await (await started(t, { checkNextBatch } as unknown as Partial<Activities>)).check('wait-shown');
    assert.equal((await handle.result()).checked, 50);
    assert.match((await firstTimer(handle)) ?? '', /^WAITING: no request is left this hour; next check/);
  });
});

describe('a query', () => {
  test('for the plan of a run is answered with a sentence, its sum and a few URLs', async (t) => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const activities = runActivities({
      awaitRun: async () => {
        await released;
        return report;
      },
    });
    const handle = await (await started(t, activities)).watch('asked-for-its-plan');
    for (;;) {
      const { summary } = await handle.query(planQuery);
      if (summary !== 'Nothing is planned yet.') {
        assert.equal(summary, '7 URLs in 1 batch for 1.75 TRY.');
        break;
      }
    }
    const seen = await handle.query(urlsQuery);
    assert.match(seen.summary, /^2 URLs of the 7 URLs that are planned\./);
    assert.deepEqual(seen.sample, plan.sample);
    release();
    await handle.result();
  });
});
