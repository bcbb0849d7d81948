import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { sql } from '../src/database/sql.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { getUrlHistory } from '../src/ledger/reports/url-history.ts';
import { beginRun } from '../src/ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../src/submission/ids.ts';
import type { RunReport } from '../src/temporal-api/payloads.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { always, failure } from '../test/fakes/service/replies.ts';
import { crawled, shopUrl } from '../test/support/ledger.ts';
import { recordStatements } from '../test/support/record-statements.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { runStart } from './run-start.ts';
import { runActivities } from './runs.ts';

const MINUTE = 60_000;
type Connector = Awaited<ReturnType<typeof createTestConnector>>;
const OLD = 'old' as WatchId;
const RUN = { watch: 'shop' as WatchId, account: 'main' as AccountId, run: 'r1' as RunId };

describe('awaitRun', () => {
  test('a run whose batches wait for money ends after two hours, says what it left, and the next one begins', async (t) => {
    const { baseUrl } = await startFakeService(t, {
      overrides: { post: always(failure(402, 'insufficient_balance')) },
    });
    const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY' });
    await connector.plan('r1', ['1', '2', '3']);
    assert.equal((await connector.send()).kind, 'suspended');
    const { awaitRun } = runActivities({ ...connector.deps, client: recordStarts([]) });
    const scheduledTimestampMs = connector.now();
    const wait = (until: 'accepted' | 'terminal', attempt: number): Promise<RunReport> =>
      new MockActivityEnvironment({ attempt, scheduledTimestampMs }, { logger: new DefaultLogger('ERROR') }).run(() =>
        awaitRun({ ...RUN, until }),
      );

    for (let attempt = 1; connector.now() <= scheduledTimestampMs + 120 * MINUTE; attempt++) {
      const failed = await wait('accepted', attempt).then(
        () => assert.fail(`it ended after ${connector.now() - scheduledTimestampMs} ms`),
        (error: unknown) => error,
      );
      assert.ok(isRetryLater(failed) && typeof failed.nextRetryDelay === 'number');
      const most = Math.ceil(Math.max(MINUTE, (connector.now() - scheduledTimestampMs) / 20));
      assert.ok(
        failed.nextRetryDelay <= most,
        'it is retried once a minute at least, later after a twentieth of its age',
      );
      connector.pass(failed.nextRetryDelay);
    }
    const report = await wait('accepted', 200);
    assert.deepEqual([report.unanswered, report.submitted, report.open, report.charged], [1, 0, 3, 0]);
    await assert.rejects(wait('terminal', 200), isRetryLater, '--wait goes on waiting');

    const watch = connector.deps.getWatch(RUN.watch);
    const next = await beginRun(connector.ledger, runStart(watch, 'r2' as RunId));
    assert.equal(next.kind, 'begun', 'the next run crawls');
  });

  test('a run that waits reads none of its URLs, however many there are and however often it asks', async (t) => {
    const service = await startFakeService(t, { overrides: { post: always(failure(503, 'unavailable')) } });
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl });
    await connector.plan('r1', ['1', '2', '3']);
    const { db, statements } = recordStatements(connector.ledger.db);
    const ledger = { ...connector.ledger, db };
    const { awaitRun } = runActivities({ ...connector.deps, ledger, client: recordStarts([]) });
    const environment = new MockActivityEnvironment({ attempt: 1, scheduledTimestampMs: connector.now() });
    const wait = environment.run(() => awaitRun({ ...RUN, until: 'accepted' }));
    await assert.rejects(wait as Promise<unknown>, /1 of 1 batch of this run not accepted yet, 3 URLs for/);
    assert.ok(statements.length > 0);
    for (const { text } of statements) assert.doesNotMatch(text, /\b(batch_urls|urls AS|FROM urls)\b/);
  });

  test('a run that waits beside fifty others lets five seconds pass, and those that still crawl do not count', async (t) => {
    const { baseUrl } = await startFakeService(t);
    const connector = await createTestConnector(t, { baseUrl });
    const { ledger, deps } = connector;
    await connector.plan('r1', ['1']);
    for (let n = 1; n <= 80; n++) {
      const start = runStart(deps.getWatch(RUN.watch), `o${n}` as RunId);
      await beginRun(ledger, { ...start, watch: `site-${n}` as WatchId });
      if (n <= 50) await ledger.db.run(sql`UPDATE runs SET planned_at = ${connector.now()} WHERE name = ${`o${n}`}`);
    }
    const { awaitRun } = runActivities({ ...deps, client: recordStarts([]) });
    const environment = new MockActivityEnvironment({ attempt: 1, scheduledTimestampMs: connector.now() });
    const wait = environment.run(() => awaitRun({ ...RUN, until: 'terminal' }));
    await assert.rejects(wait as Promise<unknown>, { nextRetryDelay: 5_000 });
  });

  test('a run ends when its watch has left the account in which its batch is in doubt, and says what it left', async (t) => {
    const service = await startFakeService(t, { overrides: { post: always(failure(503, 'unavailable')) } });
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl });
    await connector.plan('r1', ['1']);
    await assert.rejects(connector.send(), isRetryLater);
    const started: string[] = [];
    const wait = (account: AccountId): Promise<RunReport> => {
      const watch = { ...connector.deps.getWatch(RUN.watch), account };
      const config = { ...connector.deps.config, watches: new Map([[RUN.watch, watch]]) };
      const { awaitRun } = runActivities({ ...connector.deps, config, client: recordStarts(started) });
      const environment = new MockActivityEnvironment({ attempt: 1, scheduledTimestampMs: connector.now() });
      return environment.run(() => awaitRun({ ...RUN, until: 'terminal' }));
    };
    await assert.rejects(wait(RUN.account), isRetryLater, 'it waits for the batch of its own account');
    assert.equal((await wait('second' as AccountId)).unanswered, 1);
    assert.deepEqual(started, ['dispatchAccount USE_EXISTING'], 'the batch goes on in the first account');
  });
});

/** A client that records which workflows it starts, with their conflict policy. */
function recordStarts(started: string[]): Client {
  const start = async (type: string, { workflowIdConflictPolicy }: WorkflowStartOptions) => {
    started.push(`${type} ${workflowIdConflictPolicy}`);
  };
  return { workflow: { start } } as unknown as Client;
}

describe('a run whose batches are planned again by an older copy of the ledger', () => {
  const attempts = async (
    t: TestContext,
    first: number,
    last: number,
    prepare: (connector: Connector) => Promise<unknown>,
  ) => {
    const { baseUrl } = await startFakeService(t);
    const connector = await createTestConnector(t, { baseUrl });
    await connector.plan('r1', ['1']);
    await prepare(connector);
    const started: string[] = [];
    const { awaitRun } = runActivities({ ...connector.deps, client: recordStarts(started) });
    for (let attempt = first; attempt <= last; attempt++) {
      const environment = new MockActivityEnvironment({ attempt, scheduledTimestampMs: connector.now() });
      await assert.rejects(
        environment.run(() => awaitRun({ ...RUN, until: 'terminal' })),
        isRetryLater,
      );
    }
    return started;
  };

  test('starts the dispatcher when none runs, every tenth time that it looks, and wakes none that runs', async (t) => {
    assert.deepEqual(await attempts(t, 11, 30, async () => undefined), [
      'dispatchAccount USE_EXISTING',
      'dispatchAccount USE_EXISTING',
    ]);
  });

  test('with jobs alone it does so every sixtieth time: they have trackers', async (t) => {
    const send = (connector: Connector) => connector.send();
    assert.deepEqual(await attempts(t, 51, 70, send), ['dispatchAccount USE_EXISTING']);
  });
});

describe('a run with nothing of its own', () => {
  const awaitOnce = (
    connector: Awaited<ReturnType<typeof createTestConnector>>,
    until: 'accepted' | 'terminal',
  ): Promise<RunReport> =>
    new MockActivityEnvironment(
      { attempt: 1, scheduledTimestampMs: connector.now() },
      { logger: new DefaultLogger('ERROR') },
    ).run(() => runActivities(connector.deps).awaitRun({ ...RUN, run: 'r2' as RunId, until }));

  test('waits for a batch of an earlier run that is due, and with --wait for its job', async (t) => {
    const service = await startFakeService(t);
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl });
    await connector.plan('r1', ['1', '2']);
    await crawled(connector.ledger, 'r2', { a: ['1', '2'] });
    await assert.rejects(awaitOnce(connector, 'accepted'), /1 batch of earlier runs not accepted yet/);
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal((await awaitOnce(connector, 'accepted')).batches, 0);
    await assert.rejects(awaitOnce(connector, 'terminal'), /1 job of the watch has not ended yet/);
  });

  test('waits while an earlier batch and a job of its own are both left, and wakes the dispatcher for the batch', async (t) => {
    const { baseUrl } = await startFakeService(t);
    const connector = await createTestConnector(t, { baseUrl });
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    const { ledger } = connector;
    await crawled(ledger, 'r2', { a: ['1', '2'] });
    // The job of the first run counts as one of the second, whose batch counts as one of an earlier run.
    await ledger.db.run(sql`UPDATE batches SET run_id = (SELECT id FROM runs WHERE name = 'r2')`);
    await planRun(ledger, 'r2' as RunId, {
      account: connector.deps.getAccount(RUN.account),
      watch: connector.deps.getWatch(RUN.watch),
    });
    await ledger.db.run(
      sql`UPDATE batches SET run_id = (SELECT id FROM runs WHERE name = 'r1') WHERE reference IS NULL`,
    );
    const started: string[] = [];
    const { awaitRun } = runActivities({ ...connector.deps, client: recordStarts(started) });
    const shown = (attempts: number, until: 'accepted' | 'terminal') =>
      new MockActivityEnvironment({ attempt: 1, scheduledTimestampMs: connector.now() }).run(() =>
        awaitRun({ ...RUN, run: 'r2' as RunId, until, waits: { fromMs: 0, attempts, since: connector.now() } }),
      ) as Promise<RunReport>;
    await assert.rejects(shown(2, 'terminal'), isRetryLater);
    assert.equal(started.length, 1, 'a shown wait has few polls: each wakes it');
    assert.equal((await connector.send()).kind, 'sent');
    await assert.rejects(shown(2, 'terminal'), isRetryLater, 'the jobs are left');
    assert.equal(started.length, 1, 'with nothing to send only every tenth does');
  });

  test('waits for no batch that has a time of its own, and for none of an account that is held', async (t) => {
    const { baseUrl } = await startFakeService(t, {
      overrides: { post: always(failure(402, 'insufficient_balance')) },
    });
    const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY' });
    await connector.plan('r1', ['1', '2']);
    assert.equal((await connector.send()).kind, 'suspended');
    await crawled(connector.ledger, 'r2', { a: ['1', '2'] });
    assert.equal((await awaitOnce(connector, 'accepted')).batches, 0);
    connector.pass(24 * 60 * MINUTE);
    assert.equal((await awaitOnce(connector, 'accepted')).batches, 0);
  });
});

describe('diffRun', () => {
  for (const [what, configured, watches] of [
    ['takes over what a watch bought that the configuration no longer has', false, ['shop']],
    ['leaves what a configured watch bought where it is', true, ['old', 'shop']],
  ] as const) {
    test(what, async (t) => {
      const connector = await createTestConnector(t, { baseUrl: 'http://127.0.0.1:9/api/v1' });
      const { ledger, deps } = connector;
      const shop = deps.getWatch(RUN.watch);
      await crawled(ledger, 'o1', { a: ['1'] }, { watch: OLD });
      await planRun(ledger, 'o1' as RunId, { account: deps.getAccount(RUN.account), watch: { ...shop, id: OLD } });
      if (configured) (deps.config.watches as Map<WatchId, unknown>).set(OLD, { ...shop, id: OLD });
      await crawled(ledger, RUN.run, { a: ['1'] });
      await runActivities(deps).diffRun({ ...RUN, complete: true });
      const urls = await getUrlHistory(ledger, shopUrl('1'));
      assert.deepEqual(urls.map(({ watch }) => watch).sort(), watches);
    });
  }
});
