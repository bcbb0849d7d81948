import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { beginCheck } from '../src/ledger/index-checks/begin-check.ts';
import { listOpenSubmissions, recordPoll } from '../src/ledger/jobs/record-poll.ts';
import { settleJob } from '../src/ledger/jobs/settle-job.ts';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import { dispatcherWorkflowId } from '../src/temporal-api/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { failure, type Overrides } from '../test/fakes/service/replies.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { checkActivities } from './checks.ts';

const RUN = { watch: 'shop' as WatchId, account: 'main' as AccountId, run: 'r1' as never };
const HOUR = 3_600_000;

/** Two pages of the watch are completed, and due for a check. */
async function openScene(t: TestContext, overrides: Overrides = {}, account = '') {
  const service = await startFakeService(t, { overrides });
  const connector = await createTestConnector(t, {
    baseUrl: service.baseUrl,
    account: `price_per_url: 0.25 TRY${account}`,
    watch: 'index_check: { after: 1d, every: 7d }',
  });
  await connector.plan('r1', ['1', '2']);
  assert.equal((await connector.send()).kind, 'sent');
  const { ledger, deps } = connector;
  const [job] = await listOpenSubmissions(ledger, RUN.account);
  await recordPoll(ledger, RUN.account, job!.reference, { state: 'completed', terminalStates: ['completed'] });
  await settleJob(ledger, RUN.account, job!.reference, { retryFailed: { times: 0, afterMs: 0 } });
  connector.pass(25 * HOUR);
  const started: string[] = [];
  const start = async (_type: string, { workflowId }: WorkflowStartOptions) => started.push(workflowId);
  const client = { workflow: { start } } as unknown as Client;
  const check = () => checkActivities({ ...deps, client }).checkNextBatch(RUN);
  return { service, connector, ledger, deps, check, started };
}

describe('an index-check', () => {
  test('that waits for its next attempt is asked for when that is due, and nothing is sent before', async (t) => {
    const { service, connector, ledger, deps, check } = await openScene(t);
    const account = deps.getAccount(RUN.account);
    const { indexCheck: policy, spend } = deps.getWatch(RUN.watch);
    const begun = await beginCheck(ledger, { account, watch: RUN.watch, spend, policy: policy! });
    assert.equal(begun.kind, 'send');
    await ledger.db.run({
      strings: [`UPDATE checks SET waits_since = 0, not_before = ${connector.now() + HOUR}`],
      parts: [],
    });
    await assert.rejects(
      check(),
      (error) =>
        isRetryLater(error) && error.nextRetryDelay === HOUR && /waits for its next attempt/.test(error.message),
    );
    assert.ok(
      service.requests.every((request) => !request.includes('index-check')),
      service.requests.join(),
    );
  });

  test('beside a floor asks for the balance that it needs, also where nothing was sent lately', async (t) => {
    const { check, service } = await openScene(t, {}, ', spend: { balance_floor: 1 TRY }');
    const before = service.counts.balance;
    assert.equal((await check()).kind, 'checked');
    assert.equal(service.counts.balance, before + 1);
  });

  test('is not made beside a floor where the balance cannot be read', async (t) => {
    let works = true;
    const balance = () => (works ? null : failure(500, 'internal'));
    const { check, service } = await openScene(t, { balance }, ', spend: { balance_floor: 1 TRY }');
    works = false;
    const step = await check();
    assert.ok(step.kind === 'stopped' && /the balance is unknown/.test(step.reason), JSON.stringify(step));
    assert.equal(service.counts.check, 0);
  });

  test('whose key is rejected starts the dispatcher, and one that is made ends that', async (t) => {
    let works = false;
    const rejected = failure(401, 'unauthorized');
    const { check, ledger, started, deps } = await openScene(t, { check: () => (works ? null : rejected) });
    assert.equal((await check()).kind, 'stopped');
    assert.deepEqual(started, [dispatcherWorkflowId(ledger.id, RUN.account)]);
    assert.notEqual((await getAccountStatus(ledger, RUN.account)).keyRejected, null);
    works = true;
    assert.equal((await checkActivities(deps).checkNextBatch(RUN)).kind, 'checked');
    assert.equal((await getAccountStatus(ledger, RUN.account)).keyRejected, null);
  });

  test('that only a cap stops starts no dispatcher', async (t) => {
    const { check, started } = await openScene(t, {}, ', spend: { per_month: 0.60 TRY }');
    assert.equal((await check()).kind, 'stopped');
    assert.deepEqual(started, []);
  });
});
