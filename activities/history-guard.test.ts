import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { AuthenticationError, unwrapData } from '../src/api-client/errors.ts';
import type { SendRequest } from '../src/api-client/history.ts';
import { type RecoverSettings, recoverAccount } from '../src/connector/recover-account.ts';
import { raw, sql } from '../src/database/sql.ts';
import { getHistoryHold } from '../src/ledger/accounts/stops.ts';
import { beginRecovery, holdSpending, recordForeignJobs, releaseHistoryHold } from '../src/ledger/jobs/history-hold.ts';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import type { AccountId, Reference } from '../src/submission/ids.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { type FakeService, startFakeService } from '../test/fakes/service/fake-service.ts';
import { LISTS_NOTHING, PLAIN, type Profile, SHOWS_URLS } from '../test/fakes/service/profile.ts';
import { failure } from '../test/fakes/service/replies.ts';
import { TEST_DIALECTS } from '../test/support/database.ts';
import { createTestConnector, type TestConnector, type TestConnectorOptions } from '../test/support/test-connector.ts';
import type { Deps } from './deps.ts';
import { createHistoryGuard } from './history-guard.ts';

const account = 'main' as AccountId;
const GIVE_UP_MS = 600_000;
const connectTo = (t: TestContext, { baseUrl }: FakeService, more: Partial<TestConnectorOptions> = {}) =>
  createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', ...more });

/** Puts an empty copy in the place of the ledger, while the process runs. */
async function replaceByCopy({ db }: Ledger): Promise<void> {
  await db.tx(async (tx) => {
    for (const table of [
      ...['journal', 'journal_totals', 'batch_answers', 'batch_bodies', 'batch_urls', 'batches', 'urls'],
      ...['sitemap_snapshots', 'run_skips', 'run_sitemaps', 'watch_days', 'runs', 'sitemaps'],
    ]) {
      await tx.run(raw(`DELETE FROM ${table}`));
    }
  });
}

/** The runs buy a page each, one after the other. Then the ledger knows nothing of it, and all of them and page 9 are planned. */
async function loseJobs(t: TestContext, service: FakeService, jobs = 1, more?: Partial<TestConnectorOptions>) {
  const connector = await connectTo(t, service, more);
  const pages = Array.from({ length: jobs }, (_, n) => String(n + 1));
  for (const n of pages.keys()) {
    await connector.plan(`r${n}`, pages.slice(0, n + 1));
    assert.equal((await connector.send()).kind, 'sent');
  }
  await replaceByCopy(connector.ledger);
  await connector.plan('later', [...pages, '9']);
  return connector;
}

/** URLs that the service has charged. */
const countBought = ({ jobs }: FakeService): number =>
  [...jobs.values()].reduce((sum, { urls }) => sum + urls.length, 0);

const recover = ({ deps, ledger }: TestConnector, more: Partial<RecoverSettings> = {}) => {
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
    ...more,
  });
};
const listKinds = ({ taken }: Awaited<ReturnType<typeof recover>>) => taken.map(({ kind }) => kind);

/** Runs between the answer to a batch and its record, until the function returned is called. */
function runBeforeRecord({ deps }: TestConnector, work: () => Promise<void>): () => void {
  const { getApi } = deps;
  const replaced: { -readonly [K in keyof Deps]: Deps[K] } = deps;
  replaced.getApi = (id) => {
    const api = getApi(id);
    return {
      ...api,
      reserved: (lane, use) =>
        api.reserved(lane, (send) =>
          use(async (request) => {
            const answer = await send(request);
            await work();
            return answer;
          }),
        ),
    };
  };
  return () => {
    replaced.getApi = getApi;
  };
}

describe('a ledger that is replaced by an older copy while the process runs', () => {
  for (const dialect of TEST_DIALECTS) {
    test(`holds the account, also where the list does not show the job (${dialect})`, async (t) => {
      const service = await startFakeService(t, { profile: LISTS_NOTHING });
      const connector = await loseJobs(t, service, 1, { dialect });
      const step = await connector.send();
      assert.ok(step.kind === 'suspended');
      assert.match(step.reason, /does not know \(R-1\).*"courier recover --account main"/);
      assert.equal(service.counts.post, 1, 'nothing was bought again');
      await assert.rejects(connector.awaitMoney(), isRetryLater);
    });
  }

  test('is recovered with all jobs of the last hour, although the list shows none, and buys the rest', async (t) => {
    const service = await startFakeService(t, { profile: LISTS_NOTHING });
    const connector = await loseJobs(t, service, 3);
    await connector.send();
    assert.deepEqual(listKinds(await recover(connector)), ['recovered', 'recovered', 'recovered']);
    await connector.plan('last', ['1', '2', '3', '9']);
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal(countBought(service), 4);
  });

  test('is held for the job that the list does not show, too, where it shows another', async (t) => {
    const profile: Profile = {
      ...SHOWS_URLS,
      list: (jobs, paging) =>
        PLAIN.list(
          jobs.filter(({ reference }) => reference === 'R-1'),
          { ...paging, total: 1 },
        ),
    };
    const service = await startFakeService(t, { profile });
    const connector = await loseJobs(t, service, 2);
    await connector.send();
    assert.deepEqual(listKinds(await recover(connector)), ['recovered', 'recovered']);
    await connector.plan('last', ['1', '2', '9']);
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal(countBought(service), 3);
  });

  test('holds the account also where it takes over before the answer is recorded', async (t) => {
    const service = await startFakeService(t, { profile: LISTS_NOTHING });
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    const restore = runBeforeRecord(connector, () => replaceByCopy(connector.ledger));
    await assert.rejects(connector.send(), (error) => isRetryLater(error) && /no longer has batch/.test(error.message));
    restore();
    await connector.plan('r2', ['1', '9']);
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal(countBought(service), 1);
  });

  for (const status of [400, 404]) {
    test(`stays held while the service answers ${status} for the job, until it is left out`, async (t) => {
      const service = await startFakeService(t, {
        profile: LISTS_NOTHING,
        overrides: { detail: () => failure(status, 'NO') },
      });
      const connector = await loseJobs(t, service);
      await connector.send();
      for (let n = 0; n < 2; n++) {
        const recovered = await recover(connector);
        assert.equal(recovered.held, true);
        assert.deepEqual(recovered.taken, [{ kind: 'not_found', reference: 'R-1' }]);
      }
      assert.equal((await recover(connector, { accept: true })).held, false);
      assert.equal((await connector.send()).kind, 'sent');
    });
  }

  test('is recovered without a job that the service refuses to show, once that is accepted', async (t) => {
    const overrides = { detail: () => failure(403, 'FORBIDDEN') };
    const service = await startFakeService(t, { profile: LISTS_NOTHING, overrides });
    const connector = await loseJobs(t, service);
    await connector.send();
    await assert.rejects(recover(connector), AuthenticationError);
    assert.equal((await recover(connector, { accept: true })).held, false);
  });

  test('is recovered without a job that the ledger knows by now', async (t) => {
    const overrides = { detail: () => failure(404, 'NOT_FOUND') };
    const service = await startFakeService(t, { profile: LISTS_NOTHING, overrides });
    const connector = await loseJobs(t, service);
    await connector.send();
    await recordForeignJobs(connector.ledger, account, ['R-1' as Reference]);
    assert.deepEqual(await recover(connector), { taken: [], held: false });
  });

  test('holds the account at once where the list fails, also where it is optional', async (t) => {
    const list = { fails: false };
    const overrides = { list: () => (list.fails ? failure(500, 'internal') : null) };
    const service = await startFakeService(t, { overrides });
    const optional = { account: 'price_per_url: 0.25 TRY, reconcile: { list: optional }' };
    const connector = await loseJobs(t, service, 1, optional);
    list.fails = true;
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal((await getHistoryHold(connector.ledger.db, account))?.code, 'unknown_jobs');
    assert.equal(service.counts.post, 1);
  });

  test('that lacks only the answer holds nothing: the batch is sent with its key', async (t) => {
    const service = await startFakeService(t, { profile: LISTS_NOTHING });
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    const body = await connector.ledger.db.one(sql<{ body: string }>`SELECT body FROM batch_bodies`);
    await connector.send();
    await connector.ledger.db.run(raw("UPDATE batches SET state = 'planned', reference = NULL, accepted_at = NULL"));
    await connector.ledger.db.run(sql`INSERT INTO batch_bodies (batch_id, body) SELECT id, ${body.body} FROM batches`);
    for (const table of ['journal', 'journal_totals']) await connector.ledger.db.run(raw(`DELETE FROM ${table}`));
    await connector.ledger.db.run(raw('DELETE FROM batch_answers'));
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal(countBought(service), 1);
    assert.equal(await getHistoryHold(connector.ledger.db, account), null);
  });
});

describe('the jobs that a process remembers', () => {
  test('have none whose batch is recorded under another reference', async (t) => {
    const service = await startFakeService(t);
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    const restore = runBeforeRecord(connector, async () => {
      await connector.ledger.db.run(raw("UPDATE batches SET state = 'accepted', reference = 'R-0', accepted_at = 1"));
    });
    const step = await connector.send();
    assert.ok(step.kind === 'sent' && /already accepted/.test(step.outcome), JSON.stringify(step));
    restore();
    await connector.plan('r2', ['1', '2']);
    assert.equal((await connector.send()).kind, 'sent');
  });
});

describe('holds of two processes at once', () => {
  /** A comparison that has read the list and waits. */
  async function compareSlowly(t: TestContext) {
    const service = await startFakeService(t);
    const { deps, ledger, now } = await connectTo(t, service);
    await holdSpending(ledger, account, { code: 'list_unread', why: 'HTTP 500' });
    const read = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const send: SendRequest = async (request) => {
      const data = await deps.getApi(account).request('poll', request).then(unwrapData);
      read.resolve();
      await goOn.promise;
      return data;
    };
    const guard = createHistoryGuard({ now, warn: () => undefined, hasFailedOver: async () => false });
    const checked = guard.check({ ledger, account, projects: ['Shop'], send, needsList: true });
    await read.promise;
    return { ledger, checked, goOn: goOn.resolve };
  }

  test('a worker that compared ends no hold that began meanwhile', async (t) => {
    const { ledger, checked, goOn } = await compareSlowly(t);
    const hold = await beginRecovery(ledger, account);
    goOn();
    assert.deepEqual(await checked, hold);
    assert.deepEqual(await getHistoryHold(ledger.db, account), hold);
  });

  test('a recovery is not replaced by a hold that ends with another recovery', async (t) => {
    const { ledger, checked, goOn } = await compareSlowly(t);
    goOn();
    assert.equal(await checked, null);
    const hold = await beginRecovery(ledger, account);
    await holdSpending(ledger, account, { code: 'unknown_jobs', references: ['R-5' as Reference], more: false });
    assert.deepEqual(await getHistoryHold(ledger.db, account), hold);
    assert.equal(await releaseHistoryHold(ledger, account, hold), true);
    assert.equal(await getHistoryHold(ledger.db, account), null);
  });
});

describe('a hold for a list that cannot be read', () => {
  test('ends before the list is asked for again, once it may be done without', async (t) => {
    const service = await startFakeService(t, { overrides: { list: () => failure(500, 'internal') } });
    const { deps, ledger, now, pass } = await connectTo(t, service);
    const guard = createHistoryGuard({ now, warn: () => undefined, hasFailedOver: async () => false });
    const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
    const check = (needsList: boolean) => guard.check({ ledger, account, projects: ['Shop'], send, needsList });
    await assert.rejects(check(true), isRetryLater);
    pass(GIVE_UP_MS);
    assert.equal((await check(true))?.code, 'list_unread');
    assert.equal((await getAccountStatus(ledger, account)).suspended?.code, 'history_hold');
    assert.equal(await check(false), null);
    assert.deepEqual(await getAccountStatus(ledger, account), { suspended: null, keyRejected: null });
  });

  test('stays where jobs are unknown', async (t) => {
    const service = await startFakeService(t);
    const { deps, ledger, now } = await connectTo(t, service);
    const hold = { code: 'unknown_jobs', references: ['R-5' as Reference], more: false } as const;
    await holdSpending(ledger, account, hold);
    const guard = createHistoryGuard({ now, warn: () => undefined, hasFailedOver: async () => false });
    const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
    assert.deepEqual(await guard.check({ ledger, account, projects: ['Shop'], send, needsList: false }), hold);
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

  test('compares again what was compared while it happened', async (t) => {
    const service = await startFakeService(t);
    const { deps, ledger, now } = await connectTo(t, service);
    let failedOver = false;
    const guard = createHistoryGuard({ now, warn: () => undefined, hasFailedOver: async () => failedOver });
    const read = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
    const sendSlowly: SendRequest = async (request) => {
      const data = await send(request);
      read.resolve();
      await goOn.promise;
      return data;
    };
    const scope = { ledger, account, projects: ['Shop'], needsList: true };
    const checked = guard.check({ ...scope, send: sendSlowly });
    await read.promise;
    failedOver = true;
    await guard.check({ ...scope, account: 'other' as AccountId, send });
    failedOver = false;
    goOn.resolve();
    await assert.rejects(checked, isRetryLater);
    const before = service.counts.list;
    assert.equal(await guard.check({ ...scope, send }), null);
    assert.equal(service.counts.list - before, 1);
  });
});
