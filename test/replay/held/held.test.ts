import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { bundleWorkflows } from '../../../src/temporal/workflow-code.ts';
import type { RunDecided } from '../../../src/temporal-api/payloads.ts';
import { runOnServer } from '../run-on-server.ts';

const WORKFLOWS = fileURLToPath(new URL('./workflows.ts', import.meta.url));
const counts = { found: 7, new: 7, changed: 0, known: 0, gone: 0, skipped: 0, complete: true, firstRun: false };
const hold = { reasons: ['too many'], sample: [] };

/** Holds a run until its end. `ask`: what the ledger says at each reminder. */
async function holdRun(t: TestContext, ask: () => Promise<RunDecided | null>): Promise<unknown> {
  const workflowBundle = await bundleWorkflows(WORKFLOWS);
  const args = [{ hold, counts }];
  return (await runOnServer(t, { workflow: 'heldRun', args, workflowBundle, activities: { ask } })).result;
}

describe('a held run that nobody decides', () => {
  test('fails at a reminder when the ledger does not know it any more', async (t) => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked < 3) return null;
      throw ApplicationFailure.nonRetryable('The ledger has no run "shop".', 'UNKNOWN_RUN');
    };
    await assert.rejects(holdRun(t, ask), (error: Error) => {
      assert.ok(error instanceof WorkflowFailedError);
      assert.equal(((error.cause as Error).cause as Error).message, 'The ledger has no run "shop".');
      return true;
    });
    assert.equal(asked, 3);
  });

  test('goes on with a decision that the ledger has by the next reminder', async (t) => {
    assert.equal(await holdRun(t, async () => ({ decision: 'rejected', by: 'ali' })), 'rejected by ali');
  });
});
