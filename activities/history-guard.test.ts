import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { unwrapData } from '../src/api-client/errors.ts';
import type { SendRequest } from '../src/api-client/history.ts';
import { recoverAccount } from '../src/connector/recover-account.ts';
import { raw } from '../src/database/sql.ts';
import { getHistoryHold } from '../src/ledger/jobs/history-hold.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import type { AccountId } from '../src/submission/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { type FakeService, startFakeService } from '../test/fakes/service/fake-service.ts';
import { getUrlPage, PLAIN, type Profile } from '../test/fakes/service/profile.ts';
import { failure } from '../test/fakes/service/replies.ts';
import { TEST_DIALECTS } from '../test/support/database.ts';
import { createTestConnector, type TestConnector, type TestConnectorOptions } from '../test/support/test-connector.ts';
import { createHistoryGuard } from './history-guard.ts';

const account = 'main' as AccountId;
const GIVE_UP_MS = 600_000;
const SHOWS_URLS: Profile = {
  ...PLAIN,
  detail: (job, paging) => ({
    ...(PLAIN.detail(job, paging) as object),
    urls: getUrlPage(job, paging).map(([url]) => ({ url, status: 'queued' })),
  }),
};
/** A service whose list is late: it lists nothing yet. */
const LISTS_NOTHING: Profile = { ...SHOWS_URLS, list: (_, paging) => PLAIN.list([], paging) };

const connectTo = (t: TestContext, { baseUrl }: FakeService, more: Partial<TestConnectorOptions> = {}) =>
  createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', ...more });

/** Puts a copy in the place of the ledger, while the process runs, that was made before it knew any page. */
async function replaceByCopy({ db }: Ledger): Promise<void> {
  await db.tx(async (tx) => {
    for (const table of ['charges', 'batch_answers', 'batch_bodies', 'batch_urls', 'batches', 'urls']) {
      await tx.run(raw(`DELETE FROM ${table}`));
    }
  });
}

/** Page 1 is bought; then the ledger is one that knows nothing of it and has planned pages 1 and 2. */
async function loseJob(t: TestContext, service: FakeService, more?: Partial<TestConnectorOptions>) {
  const connector = await connectTo(t, service, more);
  await connector.plan('r1', ['1']);
  assert.equal((await connector.send()).kind, 'sent');
  await replaceByCopy(connector.ledger);
  await connector.plan('r2', ['1', '2']);
  return connector;
}

const recover = ({ deps, ledger }: TestConnector) => {
  const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
  return recoverAccount({
    ...{
      ledger,
      account: deps.getAccount(account),
      watches: [...deps.config.watches.values()],
      fallback: null,
      since: null,
    },
    ...{ accept: false, send, signal: new AbortController().signal },
    progress: { listed: () => undefined, read: () => undefined, waiting: () => undefined },
  });
};

describe('a ledger that is replaced by an older copy while the process runs', () => {
  for (const dialect of TEST_DIALECTS) {
    test(`holds the account, also where the list does not show the job (${dialect})`, async (t) => {
      const service = await startFakeService(t, { profile: LISTS_NOTHING });
      const connector = await loseJob(t, service, { dialect });
      const step = await connector.send();
      assert.ok(step.kind === 'suspended');
      assert.match(step.reason, /does not know \(R-1\).*"courier recover --account main"/);
      assert.equal(service.counts.post, 1, 'nothing was bought again');
      await assert.rejects(connector.awaitMoney(), isRetryLater);
    });
  }

  test('is recovered although the list does not show the job, and buys the rest', async (t) => {
    const service = await startFakeService(t, { profile: LISTS_NOTHING });
    const connector = await loseJob(t, service);
    await connector.send();
    assert.deepEqual(
      (await recover(connector)).taken.map(({ kind }) => kind),
      ['recovered'],
    );
    await connector.plan('r3', ['1', '2']);
    assert.equal((await connector.send()).kind, 'sent');
    const urls = (await listBatches(connector.ledger)).map(({ state, urls }) => [state, urls]);
    assert.deepEqual(urls, [
      ['accepted', 1],
      ['accepted', 1],
    ]);
  });

  test('stays held while the service does not know the job', async (t) => {
    const overrides = { detail: () => failure(404, 'NOT_FOUND') };
    const service = await startFakeService(t, { profile: LISTS_NOTHING, overrides });
    const connector = await loseJob(t, service);
    await connector.send();
    for (let n = 0; n < 2; n++) {
      const { held, taken } = await recover(connector);
      assert.equal(held, true);
      assert.deepEqual(taken, [{ kind: 'unassigned', reference: 'R-1', project: null, sample: null }]);
    }
  });

  test('holds the account also where the list is optional and fails', async (t) => {
    const list = { fails: false };
    const overrides = { list: () => (list.fails ? failure(401, 'UNAUTHENTICATED') : null) };
    const service = await startFakeService(t, { overrides });
    const account = 'price_per_url: 0.25 TRY, reconcile: { list: optional }';
    const connector = await loseJob(t, service, { account });
    list.fails = true;
    await assert.rejects(connector.send(), isRetryLater);
    connector.pass(GIVE_UP_MS);
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal(service.counts.post, 1);
  });

  test('that lacks only the answer holds nothing: the list shows the batch as accepted', async (t) => {
    const service = await startFakeService(t);
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    await connector.send();
    await connector.ledger.db.run(raw("UPDATE batches SET state = 'planned', reference = NULL, accepted_at = NULL"));
    await connector.ledger.db.run(raw('DELETE FROM charges'));
    assert.equal((await connector.send()).kind, 'idle');
    assert.equal(service.counts.post, 1);
    assert.equal(await getHistoryHold(connector.ledger.db, account), null);
  });
});

describe('the guard of purchases after a failover', () => {
  test('compares every account again, and needs the list for it', async (t) => {
    const list = { fails: false };
    const service = await startFakeService(t, {
      overrides: { list: () => (list.fails ? failure(500, 'internal') : null) },
    });
    const { deps, ledger, now, pass } = await connectTo(t, service);
    let failedOver = false;
    const warn = () => assert.fail('the list must be read');
    const guard = createHistoryGuard({ now, warn, hasFailedOver: async () => failedOver });
    const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
    const check = () => guard.check({ ledger, account, projects: ['Shop'], send, needsList: true });
    const count = async (work: () => Promise<unknown>) => {
      const before = service.counts.list;
      await work();
      return service.counts.list - before;
    };
    assert.equal(await count(check), 1);
    assert.equal(await count(check), 0);
    failedOver = true;
    assert.equal(await count(check), 1);
    list.fails = true;
    await assert.rejects(check(), isRetryLater);
    failedOver = false;
    pass(GIVE_UP_MS);
    assert.equal((await check())?.code, 'list_unread');
  });
});
