import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import type { BatchId } from '../../src/submission/ids.ts';
import { approveUpdate, pollNowSignal, rejectUpdate, wakeSignal } from '../../src/temporal-api/messages.ts';
import type { DispatchStep, JobStatus, RunDecided } from '../../src/temporal-api/payloads.ts';
import type { watchSitemap } from '../../workflows/index.ts';
import { events, HOLD, later, report, runActivities, started, toStatus, watch } from './scenarios.ts';

describe('watchSitemap', () => {
  test('a plausible run is planned, handed over and awaited, in this order', async (t) => {
    const activities = runActivities();
    const result = await (await (await started(t, activities)).watch('plausible')).result();
    assert.deepEqual(activities.calls, [
      'beginRun',
      'crawlWatch',
      'diffRun',
      'judgeRun',
      'planRun',
      'wakeDispatcher',
      'awaitRun',
      'finishRun',
    ]);
    assert.equal(result.decision, 'none needed');
    assert.deepEqual(result.report, report);
  });

  test('a held run buys nothing until it is approved, and shows why with a sample', async (t) => {
    const hold = { ...HOLD, reasons: ['7 new URLs, more than max_new 5'] };
    const activities = runActivities({ judgeRun: async () => hold });
    const handle = await (await started(t, activities)).watch('held-then-approved');
    await assert.rejects(
      async () => {
        // Retried until the run is held: before that the validator refuses, which leaves no trace in the history.
        for (;;) {
          const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
          if (details.currentDetails?.includes('more than max_new 5')) break;
        }
        assert.ok(!activities.calls.includes('planRun'));
        assert.equal(
          await handle.executeUpdate(approveUpdate, { args: [{ by: 'ayşe' }] }),
          'approved by ayşe. What the run found is planned and submitted, within the caps.',
        );
        await handle.executeUpdate(rejectUpdate, { args: [{ by: 'ali' }] });
      },
      (error: Error) =>
        /already approved|already completed|not found/i.test(`${error.message} ${(error.cause as Error)?.message}`),
    );
    assert.equal((await handle.result()).decision, 'approved');
    assert.ok(activities.calls.includes('planRun'));
  });

  test('a decision that the form of the Web UI sends without data is taken, without a name', async (t) => {
    const hold = { ...HOLD, reasons: ['too many'] };
    const deciders: unknown[] = [];
    const activities = runActivities({
      judgeRun: async () => hold,
      recordDecision: async (given: { by: string }) => {
        deciders.push(given.by);
      },
    });
    const handle = await (await started(t, activities)).watch('decided-without-data');
    for (;;) {
      const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      if (details.currentDetails?.includes('too many')) break;
    }
    assert.match(String(await handle.executeUpdate('approve')), /^approved by the Web UI, without a name\. /);
    assert.equal((await handle.result()).decision, 'approved');
    assert.deepEqual(deciders, ['the Web UI, without a name']);
  });

  test('a rejected run plans nothing', async (t) => {
    let held = () => {};
    const isHeld = new Promise<void>((resolve) => {
      held = resolve;
    });
    const activities = runActivities({
      judgeRun: async () => {
        held();
        return { ...HOLD, reasons: ['too many'] };
      },
    });
    const handle = await (await started(t, activities)).watch('rejected');
    await isHeld;
    for (;;) {
      try {
        await handle.executeUpdate(rejectUpdate, { args: [{ by: 'ayşe' }] });
        break;
      } catch (error) {
        assert.match(String((error as Error).cause), /nothing to decide/);
      }
    }
    assert.equal((await handle.result()).decision, 'rejected');
    assert.ok(!activities.calls.includes('planRun') && !activities.calls.includes('wakeDispatcher'));
    assert.ok(activities.calls.includes('recordDecision'));
  });
});

describe('a run that is reset after it was approved', () => {
  test('continues with the decision of the ledger, to the task in which it was held', async (t) => {
    const hold = { ...HOLD, reasons: ['too many'] };
    let recorded: RunDecided | null = null;
    const activities = runActivities({
      judgeRun: async () => hold,
      findDecision: async () => recorded,
      recordDecision: async ({ decision, by }: RunDecided) => {
        recorded ??= { decision, by };
      },
    });
    const { watch, client } = await started(t, activities);
    const handle = await watch('reset-after-approval');
    for (;;) {
      const details = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
      if (details.currentDetails?.includes('too many')) break;
    }
    await handle.executeUpdate(approveUpdate, { args: [{ by: 'ayşe' }] });
    await handle.result();
    const history = (await handle.fetchHistory()).events ?? [];
    // The task that takes the result of judgeRun: the fourth activity.
    const judged = history.filter(({ activityTaskCompletedEventAttributes: done }) => done != null)[3]!;
    const task = history.find(
      ({ eventId, workflowTaskCompletedEventAttributes: done }) =>
        done != null && Number(eventId) > Number(judged.eventId),
    )!;
    const planned = activities.calls.filter((call) => call === 'planRun').length;
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: handle.workflowId },
      workflowTaskFinishEventId: task.eventId!,
      requestId: handle.workflowId,
    });
    const again = client.workflow.getHandle<typeof watchSitemap>(handle.workflowId, runId);
    assert.equal((await again.result()).decision, 'approved');
    assert.equal(activities.calls.filter((call) => call === 'planRun').length, planned + 1);
  });
});

describe('dispatchAccount', () => {
  test('the dispatcher sends until nothing is planned, in at most 6 events a batch', async (t) => {
    let left = 20;
    const sendNextBatch = async (): Promise<DispatchStep> =>
      left-- > 0
        ? { kind: 'sent', batch: left as BatchId, watch, urls: 5, service: 'fast', outcome: 'accepted' }
        : { kind: 'idle' };
    const handle = await (await started(t, { sendNextBatch })).dispatch('sent-until-idle');
    assert.deepEqual(await handle.result(), {
      summary: 'Nothing more is planned: 20 batches with 100 URLs accepted so far.',
      sentBatches: 20,
      sentUrls: 100,
    });
    assert.ok((await events(handle)) <= 20 * 6 + 15, `${await events(handle)} events`);
  });

  test('a denied request costs the dispatcher no history', async (t) => {
    let asked = 0;
    const sendNextBatch = async (): Promise<DispatchStep> => {
      if (++asked <= 2) throw later(20);
      return { kind: 'idle' };
    };
    const handle = await (await started(t, { sendNextBatch })).dispatch('rate-limited');
    await handle.result();
    assert.equal(asked, 3);
    assert.ok((await events(handle)) <= 15, `${await events(handle)} events`);
  });

  test('a suspended dispatcher resumes automatically when the balance suffices', async (t) => {
    const steps: DispatchStep[] = [
      { kind: 'suspended', reason: 'balance 1.00 TRY' },
      { kind: 'sent', batch: 1 as BatchId, watch, urls: 5, service: 'fast', outcome: 'accepted' },
    ];
    let polls = 0;
    const awaitMoney = async () => {
      if (++polls < 3) throw later(20);
    };
    const sendNextBatch = async (): Promise<DispatchStep> => steps.shift() ?? { kind: 'idle' };
    const handle = await (await started(t, { sendNextBatch, awaitMoney })).dispatch('resumed-by-balance');
    assert.equal((await handle.result()).sentUrls, 5);
    assert.equal(polls, 3);
  });

  test('a signal ends the wait of a suspended dispatcher at once', async (t) => {
    for (const [kind, scenario] of [
      ['suspended', 'woken-while-suspended'],
      ['key_rejected', 'woken-while-key-rejected'],
    ] as const) {
      const steps: DispatchStep[] = [{ kind, reason: 'so' }];
      let waiting = () => {};
      const waits = new Promise<void>((resolve) => {
        waiting = resolve;
      });
      const wait = async () => {
        waiting();
        throw later(3_600_000);
      };
      const sendNextBatch = async (): Promise<DispatchStep> => steps.shift() ?? { kind: 'idle' };
      const handle = await (await started(t, { sendNextBatch, awaitMoney: wait, awaitKey: wait })).dispatch(scenario);
      await waits;
      await handle.signal(wakeSignal);
      assert.equal((await handle.result()).sentBatches, 0);
    }
  });
});

describe('trackSubmission', () => {
  test('a job is tracked to its end; polls without a change cost no history', async (t) => {
    let polls = 0;
    const followSubmission = async ({ known }: { known: string }): Promise<JobStatus> => {
      if (++polls % 4 !== 0) throw later(5);
      return known === 'queued' ? toStatus('processing') : toStatus('completed', true);
    };
    const handle = await (await started(t, { followSubmission })).track('tracked-to-completion');
    assert.equal((await handle.result()).completed, 7);
    assert.equal(polls, 8);
    assert.ok((await events(handle)) <= 28, `${await events(handle)} events`);
  });

  test('a signal ends the wait before the first poll and between polls', async (t) => {
    const delays = [3_600_000];
    const followSubmission = async (): Promise<JobStatus> => {
      const wait = delays.shift();
      if (wait !== undefined) throw later(wait);
      return toStatus('completed', true);
    };
    const handle = await (await started(t, { followSubmission })).track('poll-now', { firstPollMs: 3_600_000 });
    await handle.signal(pollNowSignal);
    while (delays.length > 0) await new Promise((resolve) => setImmediate(resolve));
    await handle.signal(pollNowSignal);
    assert.equal((await handle.result()).state, 'completed');
  });

  test('a job open beyond the tracking timeout fails with what to do, and is not bought again', async (t) => {
    const followSubmission = async (): Promise<JobStatus> => ({ ...toStatus('processing'), overdue: true });
    const handle = await (await started(t, { followSubmission })).track('overdue');
    await assert.rejects(handle.result(), (error: Error) =>
      /not bought again/.test(String((error.cause as Error)?.message)),
    );
  });
});

describe('checkIndex', () => {
  test('index-checks continue until nothing is due', async (t) => {
    let left = 3;
    const checkNextBatch = async () =>
      left-- > 0
        ? { kind: 'checked' as const, urls: 50, found: 20, charged: 25_000_000 as Micros, stop: null }
        : { kind: 'idle' as const };
    const handle = await (await started(t, { checkNextBatch })).check('checked-until-idle');
    assert.deepEqual(await handle.result(), {
      summary: '150 URLs checked, 60 URLs found in the index, 75.00 TRY.',
      checked: 150,
      found: 60,
      charged: 75_000_000,
      stopped: null,
    });
  });
});
