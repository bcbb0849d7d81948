import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { sql } from '../src/database/sql.ts';
import { recoverJob } from '../src/ledger/jobs/recover.ts';
import type { AccountId, Reference, WatchId } from '../src/submission/ids.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { shopUrl } from '../test/support/ledger.ts';
import { createTestConnector, type TestConnector } from '../test/support/test-connector.ts';
import type { Deps } from './deps.ts';
import { newTrackedJobs } from './tracked-jobs.ts';
import { startTrackers } from './trackers.ts';

const account = 'main' as AccountId;

interface Server {
  /** Workflow ids that were started, in order. */
  readonly started: string[];
  readonly running: Set<string>;
  /** What the Web UI shows of each, and its input. */
  readonly shown: (readonly [summary: string, details: string, input: string])[];
  failing: string | null;
}

/** A connector with `jobs` accepted jobs whose trackers are started on a fake server, an array. */
async function openScene(
  t: TestContext,
  jobs: number,
): Promise<{ deps: Deps; server: Server; connector: TestConnector }> {
  const { baseUrl } = await startFakeService(t);
  const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY' });
  for (let n = 0; n < jobs; n++) {
    await connector.plan(`r${n}`, [...Array(n + 1).keys()].map(String));
    assert.equal((await connector.send()).kind, 'sent');
  }
  const server: Server = { started: [], running: new Set(), shown: [], failing: null };
  const start = async (type: string, options: Record<string, string>) => {
    const { workflowId, workflowIdReusePolicy } = options;
    const id = workflowId ?? '';
    server.shown.push([options.staticSummary ?? '', options.staticDetails ?? '', JSON.stringify(options.args)]);
    if (server.running.has(id)) throw new WorkflowExecutionAlreadyStartedError('running', id, type);
    // Completed trackers stay on the server: the policy decides whether their id may be used again.
    const before = server.started.includes(id);
    if (before && workflowIdReusePolicy !== 'ALLOW_DUPLICATE') {
      throw new WorkflowExecutionAlreadyStartedError('completed', id, type);
    }
    if (server.started.length === 1 && server.failing === null) server.failing = id;
    if (server.failing === id) throw new Error('the server is busy');
    server.started.push(id);
    server.running.add(id);
  };
  const tracked = newTrackedJobs();
  const client = { workflow: { start } } as unknown as Client;
  return { deps: { ...connector.deps, client, getTracked: () => tracked }, server, connector };
}

describe('startTrackers', () => {
  test('a tracker that cannot be started blocks no other and is retried', async (t) => {
    const { deps, server } = await openScene(t, 5);
    assert.equal(await startTrackers(deps, account), false);
    assert.equal(server.started.length, 4);
    assert.equal(await startTrackers(deps, account), false);
    server.failing = '';
    assert.equal(await startTrackers(deps, account), true);
    assert.equal(new Set(server.started).size, 5);
    assert.equal(await startTrackers(deps, account), true);
    assert.equal(server.started.length, 5, 'none is started twice');
  });

  test('a tracker says which job of which watch it polls, and how large that is', async (t) => {
    const { deps, server } = await openScene(t, 1);
    assert.equal(await startTrackers(deps, account), true);
    const [[summary, details, input] = ['', '', '']] = server.shown;
    assert.match(summary, /^1 URL of shop \(standard\): \S+$/);
    assert.match(details, /^Polls job \*\*\S+\*\* of \*\*shop\*\* \(account \*\*main\*\*\)/);
    assert.match(input, /"firstPollAt":"20\d\d-/);
  });

  test('a job whose tracker completed for a later copy of the ledger is tracked again', async (t) => {
    const { deps, server } = await openScene(t, 1);
    await startTrackers(deps, account);
    server.running.clear();
    const restored = newTrackedJobs();
    server.failing = '';
    assert.equal(await startTrackers({ ...deps, getTracked: () => restored }, account), true);
    assert.equal(server.started.length, 2);
  });

  test('an open job that recover adds under a running worker is tracked, however old it is', async (t) => {
    const { deps, server } = await openScene(t, 0);
    server.failing = '';
    assert.equal(await startTrackers(deps, account), true);
    await recoverJob(
      deps.ledger,
      { account, watch: 'shop' as WatchId, baseUrl: deps.getAccount(account).baseUrl },
      {
        reference: 'R-9' as Reference,
        state: 'processing',
        terminal: false,
        service: 'standard',
        project: 'Shop',
        createdAt: deps.now() - 5 * 86_400_000,
        charge: null,
        urls: [{ url: shopUrl('1'), result: 'open', reason: null }],
      },
    );
    assert.equal(await startTrackers(deps, account), true);
    assert.deepEqual(server.started, [`submission/${deps.ledger.id}/R-9`]);
  });

  test('a job that another process accepted long before the next step is tracked', async (t) => {
    const { deps, server, connector } = await openScene(t, 0);
    server.failing = '';
    assert.equal(await startTrackers(deps, account), true);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    // The account waits for money, for example, and takes no step.
    connector.pass(3 * 3_600_000);
    assert.equal(await startTrackers(deps, account), true);
    assert.equal(server.started.length, 1);
  });

  test('a job that has ended is tracked again when it is to be read again, once for each time', async (t) => {
    const { deps, server } = await openScene(t, 1);
    server.failing = '';
    const { db } = deps.ledger;
    await startTrackers(deps, account);
    server.running.clear();
    await db.run(sql`UPDATE batches SET ended_at = 1, settled_at = 1`);
    await db.run(sql`
      INSERT INTO unread_jobs (batch_id, account_id, found, tried, asked, asked_at)
      SELECT id, account_id, '[]', ' a ', 'b', 1 FROM batches`);
    await startTrackers(deps, account);
    await startTrackers(deps, account);
    assert.equal(server.started.length, 2);
    server.running.clear();
    await db.run(sql`UPDATE unread_jobs SET asked = 'c'`);
    await startTrackers(deps, account);
    assert.equal(server.started.length, 3);
  });

  test('a job that is no longer polled is polled again once the words of its account have changed', async (t) => {
    const { deps, server } = await openScene(t, 1);
    server.failing = '';
    await startTrackers(deps, account);
    server.running.clear();
    await startTrackers(deps, account);
    assert.equal(server.started.length, 1);
    const before = deps.getAccount(account);
    const getAccount = () => ({ ...before, terminalStates: [...before.terminalStates, 'iptal'] });
    await startTrackers({ ...deps, getAccount }, account);
    assert.equal(server.started.length, 2);
  });
});
