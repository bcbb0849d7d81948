import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { courierWorkflows } from '../../src/connector/worker.ts';
import type { RunDecided } from '../../src/temporal-api/payloads.ts';
import type { WatchResult } from '../../src/temporal-api/workflows.ts';
import { recordHistory } from './recordings.ts';
import { runOnServer } from './run-on-server.ts';
import { account, HOLD, runActivities, watch } from './scenarios.ts';

/** The workflows of the package, but for a reminder that comes soon: a replay does not compare how long a timer is. */
async function bundleWithSoonReminders(): Promise<{ readonly code: string }> {
  const bundle = await courierWorkflows();
  assert.ok('code' in bundle);
  const code = bundle.code.replace(/\bREMIND_MS = [^;]+;/, 'REMIND_MS = 50;');
  assert.notEqual(code, bundle.code, 'the interval of reminders has another name');
  return { code };
}

/** Holds a run until its end. `ask`: what the ledger says when the run is held, and at each reminder. */
async function holdRun(t: TestContext, scenario: string, ask: () => Promise<RunDecided | null>): Promise<WatchResult> {
  const run = await runOnServer(t, {
    workflow: 'watchSitemap',
    args: [{ watch, account, until: 'terminal' }],
    duties: ['crawl'],
    workflowBundle: await bundleWithSoonReminders(),
    activities: runActivities({ judgeRun: async () => HOLD, findDecision: ask }),
    ended: ({ address, workflowId }) => recordHistory(scenario, address, workflowId),
  });
  return run.result as WatchResult;
}

describe('a held run that nobody decides', () => {
  test('fails at a reminder when the ledger does not know it any more', async (t) => {
    let asked = 0;
    const ask = async () => {
      asked += 1;
      if (asked < 3) return null;
      throw ApplicationFailure.nonRetryable('The ledger has no run "shop".', 'UNKNOWN_RUN');
    };
    await assert.rejects(holdRun(t, 'held-reminded-then-forgotten', ask), (error: Error) => {
      assert.ok(error instanceof WorkflowFailedError);
      assert.equal(((error.cause as Error).cause as Error).message, 'The ledger has no run "shop".');
      return true;
    });
    assert.equal(asked, 3);
  });

  test('goes on with a decision that the ledger has by the next reminder', async (t) => {
    let asked = 0;
    const ask = async (): Promise<RunDecided | null> => (++asked < 3 ? null : { decision: 'rejected', by: 'ali' });
    assert.equal((await holdRun(t, 'held-reminded', ask)).decision, 'rejected');
    assert.equal(asked, 3);
  });
});
