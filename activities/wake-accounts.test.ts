import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import type { Account, Watch } from '../src/config/config.ts';
import { listOpenSubmissions } from '../src/ledger/jobs/record-poll.ts';
import { resolveJob } from '../src/ledger/jobs/settle-job.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { runActivities } from './runs.ts';

const MAIN = 'main' as AccountId;
const OTHER = 'other' as AccountId;
const SHOP = 'shop' as WatchId;

/** A connector whose only watch has moved from account "main" to account "other" since it planned and sent there. */
async function openScene(t: TestContext, { sends }: { readonly sends: boolean }) {
  const { baseUrl } = await startFakeService(t);
  const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY' });
  const { deps } = connector;
  await connector.plan('r1', ['1']);
  if (sends) assert.equal((await connector.send()).kind, 'sent');
  const main = deps.getAccount(MAIN);
  (deps.config.accounts as Map<AccountId, Account>).set(OTHER, { ...main, id: OTHER });
  const watches = deps.config.watches as Map<WatchId, Watch>;
  const move = () => watches.set(SHOP, { ...deps.getWatch(SHOP), account: OTHER });
  const started: string[] = [];
  const note =
    (how: string) =>
    async (_type: string, { workflowId }: WorkflowStartOptions) => {
      started.push(`${how} ${workflowId.replace(/.*\//, '')}`);
    };
  const client = { workflow: { start: note('ensured'), signalWithStart: note('woken') } } as unknown as Client;
  const wake = async () => {
    await runActivities({ ...deps, client }).wakeDispatcher({ account: OTHER });
    return started;
  };
  const settle = async () => {
    for (const { reference } of await listOpenSubmissions(connector.ledger, MAIN))
      await resolveJob(connector.ledger, MAIN, reference, 'leave', { retryFailed: null });
  };
  return { move, wake, settle };
}

describe('wakeDispatcher', () => {
  for (const [what, sends] of [
    ['whose job has not ended', true],
    ['whose batch waits', false],
  ] as const) {
    test(`starts the dispatcher of an account ${what} and that no watch has any more`, async (t) => {
      const { move, wake } = await openScene(t, { sends });
      move();
      assert.deepEqual(await wake(), ['woken other', 'ensured main']);
    });
  }

  test('leaves an account without a watch alone when nothing of it is open', async (t) => {
    const { move, wake, settle } = await openScene(t, { sends: true });
    await settle();
    move();
    assert.deepEqual(await wake(), ['woken other']);
  });

  test('leaves an account to the runs of its own watches', async (t) => {
    const { wake } = await openScene(t, { sends: true });
    assert.deepEqual(await wake(), ['woken other']);
  });
});
