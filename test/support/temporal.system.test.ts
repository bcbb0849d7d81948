import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import type { AccountId } from '../../src/submission/ids.ts';
import { dispatchAccount } from '../../workflows/index.ts';
import { withWorker } from './temporal.ts';

describe('withWorker', () => {
  test('fails a workflow that calls an activity of no scenario, and names it', { timeout: 60_000 }, async (t) => {
    const { client, taskQueue } = await withWorker(t, {});
    const args: Parameters<typeof dispatchAccount> = [{ account: 'main' as AccountId }];
    const workflow = client.workflow.execute(dispatchAccount, { taskQueue, workflowId: randomUUID(), args });
    await assert.rejects(workflow, ({ cause }: Error) => {
      assert.ok(cause instanceof ActivityFailure && cause.cause instanceof ApplicationFailure);
      assert.match(cause.cause.message, /calls the activity sendNextBatch, which this scenario does not give/);
      return true;
    });
  });
});
