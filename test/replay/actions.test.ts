import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import type { BatchId, IdempotencyKey, Reference } from '../../src/submission/ids.ts';
import type { Activities } from '../../src/temporal-api/activities.ts';
import type { DispatchStep, JobStatus, TrackInput } from '../../src/temporal-api/payloads.ts';
import type { CanWait } from '../../src/temporal-api/waits.ts';
import { dispatchAccount, trackSubmission, watchSitemap } from '../../workflows/index.ts';
import { countActions } from '../support/count-actions.ts';
import { withWorker } from '../support/temporal.ts';
import { account, later, runActivities, toStatus, watch } from './scenarios.ts';

/*
 * What a batch, a poll and a run cost on Temporal Cloud, as docs/guides/temporal-cloud.md says. A test that fails here says
 * that they cost more, or less: correct the page and its arithmetic as well.
 */

const job: TrackInput = {
  ...{ account, watch, batch: 1 as BatchId, key: 'sc1-0' as IdempotencyKey, reference: 'REF-1' as Reference },
  ...{ service: 'fast', urls: 7, acceptedAt: 0, firstPollMs: 10 },
  ...{ charged: null, firstPollAt: '04:30', showsPolls: false },
};

async function actionsOf(handle: WorkflowHandle): Promise<number> {
  await handle.result();
  return countActions((await handle.fetchHistory()).events ?? []);
}

async function start(t: TestContext, activities: Partial<Activities>) {
  const { client, taskQueue } = await withWorker(t, activities);
  const options = { taskQueue, workflowId: randomUUID() };
  return {
    watch: () => client.workflow.start(watchSitemap, { ...options, args: [{ watch, account, until: 'accepted' }] }),
    dispatch: () => client.workflow.start(dispatchAccount, { ...options, args: [{ account }] }),
    track: (input: Partial<TrackInput>) =>
      client.workflow.start(trackSubmission, { ...options, args: [{ ...job, ...input }] }),
  };
}

/** A dispatcher that sends so many batches; each waits for its slot of the lane once, where `waits`. */
async function dispatched(t: TestContext, batches: number, waits: boolean): Promise<number> {
  let sent = 0;
  let denied = false;
  const sendNextBatch = async (): Promise<DispatchStep> => {
    if (sent === batches) return { kind: 'idle' };
    denied = waits && !denied;
    if (denied) throw later(5);
    sent += 1;
    return { kind: 'sent', batch: sent as BatchId, watch, urls: 5, service: 'fast', outcome: 'accepted' };
  };
  return actionsOf(await (await start(t, { sendNextBatch })).dispatch());
}

/** A job that is processing at its second poll and completed at the last. */
async function tracked(t: TestContext, polls: number, input: Partial<TrackInput> = {}): Promise<number> {
  let polled = 0;
  const followSubmission = async ({ waits }: CanWait) => {
    polled += 1;
    if (polled === 2) return toStatus('processing');
    if (polled === polls) return toStatus('completed', true);
    if (waits === undefined) throw later(5);
    return {
      waiting: { waitMs: 5, why: 'open', next: `poll ${polled + 1}`, attempts: waits.attempts + 1, since: 7 },
    } as unknown as JobStatus;
  };
  return actionsOf(await (await start(t, { followSubmission })).track(input));
}

describe('actions on Temporal Cloud', () => {
  test('a dispatcher costs four, and one for each batch', async (t) => {
    assert.deepEqual([await dispatched(t, 5, false), await dispatched(t, 10, false)], [9, 14]);
  });

  test('a batch that waits for its slot of the lane costs one more', async (t) => {
    assert.equal(await dispatched(t, 10, true), 24);
  });

  test('a tracker costs four, and one for each poll', async (t) => {
    assert.deepEqual([await tracked(t, 6), await tracked(t, 12)], [10, 16]);
  });

  test('a tracker that shows its polls costs two, and two for each poll', async (t) => {
    const shown = { showsPolls: true };
    assert.deepEqual([await tracked(t, 6, shown), await tracked(t, 12, shown)], [14, 26]);
  });

  test('a run costs thirteen, and one for each poll of its wait', async (t) => {
    assert.equal(await actionsOf(await (await start(t, runActivities())).watch()), 14);
  });
});
