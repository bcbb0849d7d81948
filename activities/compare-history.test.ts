import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { unwrapData } from '../src/api-client/errors.ts';
import type { SendRequest } from '../src/api-client/history.ts';
import type { Database } from '../src/database/database.ts';
import type { Query } from '../src/database/sql.ts';
import { getHistoryHold } from '../src/ledger/accounts/stops.ts';
import { holdSpending } from '../src/ledger/jobs/history-hold.ts';
import { recoverJob } from '../src/ledger/jobs/recover.ts';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import type { HistoryHold } from '../src/submission/history-hold.ts';
import type { AccountId, Reference, WatchId } from '../src/submission/ids.ts';
import { renderReason } from '../src/submission/reason.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { type FakeService, startFakeService } from '../test/fakes/service/fake-service.ts';
import { getUrlPage, PLAIN, type Profile, SHOWS_URLS } from '../test/fakes/service/profile.ts';
import { hasEnded, type Job } from '../test/fakes/service/records.ts';
import { always, failure } from '../test/fakes/service/replies.ts';
import { shopUrl } from '../test/support/ledger.ts';
import { createTestConnector, KEY } from '../test/support/test-connector.ts';
import { HistoryComparison, type HistoryScope } from './compare-history.ts';

const account = 'main' as AccountId;
const settings = { account: 'price_per_url: 0.25 TRY' };

async function connectTo(t: TestContext, { baseUrl }: FakeService, more = '') {
  return createTestConnector(t, { baseUrl, account: [settings.account, ...(more === '' ? [] : [more])].join(', ') });
}

const GIVE_UP_MS = 600_000;

/** A service whose list fails whenever it is told to. */
async function startUnreadable(t: TestContext, { fails = true } = {}) {
  const list = { fails };
  const overrides = { list: () => (list.fails ? failure(500, 'internal') : null) };
  return { list, service: await startFakeService(t, { overrides }) };
}

/** A service that shows no project in its list, and the URLs of a job in its detail. */
const ANONYMOUS: Profile = {
  ...PLAIN,
  list: (jobs) => ({ submissions: jobs.map((job) => toSummary(job)), pagination: { page: 1, total_pages: 1 } }),
  detail: (job, paging) => ({
    ...toSummary(job),
    urls: getUrlPage(job, paging).map(([url]) => ({ url, status: 'queued' })),
  }),
};
/** A service that shows this project for each job. */
const showing = (project: string): Profile => ({
  ...PLAIN,
  list: (jobs, paging) =>
    PLAIN.list(
      jobs.map((job) => ({ ...job, project })),
      paging,
    ),
  detail: (job, paging) => ({ ...(ANONYMOUS.detail(job, paging) as object), project }),
});
const toSummary = ({ reference, state, urls }: Job) => ({ reference, status: state, url_count: urls.length });

/** Submissions from another ledger than the connector's, or by hand. */
async function buyElsewhere(service: FakeService, urls: readonly string[], project = 'Shop [sc00112233445566]') {
  const body = JSON.stringify({ urls, service: 'standard', project });
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${KEY}`,
    'idempotency-key': `other-${project.replaceAll(/\W/g, '-')}`,
  };
  const answer = await fetch(`${service.baseUrl}/submissions`, { method: 'POST', headers, body });
  assert.ok(answer.ok, await answer.text());
}

/** Page 1 is bought; the answer to the batch of pages 2 and 3 is lost, or that batch itself. */
async function putInDoubt(t: TestContext, service: FakeService, fault: 'drop-after' | 'drop-before') {
  const connector = await connectTo(t, service);
  await connector.plan('r1', ['1']);
  await connector.send();
  await connector.plan('r2', ['1', '2', '3']);
  service.faults.push(fault);
  await assert.rejects(connector.send());
  return connector;
}

/** One comparison, without a pause. */
async function compareHistory(scope: HistoryScope): Promise<HistoryHold | null> {
  const compared = await new HistoryComparison(scope).readOn(scope, 1_000);
  assert.notEqual(compared.kind, 'unfinished');
  return compared.kind === 'held' ? compared.hold : null;
}

describe('comparing the history with the ledger', () => {
  test('an empty ledger on an account with our jobs buys nothing and says what to do', async (t) => {
    const service = await startFakeService(t);
    await buyElsewhere(service, [shopUrl('1'), shopUrl('2')]);
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1', '2', '3']);
    const step = await connector.send();
    assert.ok(step.kind === 'suspended');
    assert.match(step.reason, /jobs of ours that this ledger does not know .* "courier recover --account main"/);
    assert.equal(service.counts.post, 1);
    await assert.rejects(connector.awaitMoney(), (error) => error instanceof ApplicationFailure);
    assert.equal(service.counts.post, 1, 'a retry buys nothing either');
    assert.deepEqual((await listBatches(connector.ledger))[0]?.state, 'planned');
  });

  for (const past of ['planned', 'recovered'] as const) {
    test(`a job of a watch that is not configured now is ours, where the ledger has ${past} some of it`, async (t) => {
      const service = await startFakeService(t, { profile: SHOWS_URLS });
      const { ledger, deps, ...connector } = await connectTo(t, service);
      if (past === 'planned') {
        await connector.plan('r1', ['1']);
        await connector.send();
      } else {
        const where = { account, watch: 'shop' as WatchId, baseUrl: service.baseUrl };
        await recoverJob(ledger, where, {
          ...{ reference: 'R-old' as Reference, state: 'completed', terminal: true, service: 'standard' },
          ...{ project: 'Shop [sc99112233445566]', createdAt: ledger.now(), charge: null },
          urls: [{ url: shopUrl('1'), result: 'completed', reason: null }],
        });
      }
      await buyElsewhere(service, [shopUrl('9')]);
      await buyElsewhere(service, [shopUrl('8')], 'Others [sc00112233445577]');
      const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
      const hold = await compareHistory({ ledger, account, projects: ['News'], send });
      assert.ok(hold?.code === 'unknown_jobs');
      assert.equal(hold.references.length, 1, 'not the job of others');
    });
  }

  test('compares a ledger again after a long pause, not in between', async (t) => {
    const service = await startFakeService(t);
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    await connector.send();
    const { list } = service.counts;
    await connector.plan('r2', ['1', '2']);
    await connector.send();
    assert.equal(service.counts.list, list, 'compared once');
    await buyElsewhere(service, [shopUrl('3')]);
    connector.pass(3_600_000);
    await connector.plan('r3', ['1', '2', '3']);
    assert.equal((await connector.send()).kind, 'suspended');
  });

  test('jobs without our URLs block nothing and are read once', async (t) => {
    const service = await startFakeService(t, { profile: ANONYMOUS });
    await buyElsewhere(service, ['https://other.example/1'], 'By hand');
    await buyElsewhere(service, ['https://other.example/2'], 'Theirs [sc00112233445577]');
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    const { detail } = service.counts;
    connector.pass(3_600_000);
    await connector.plan('r2', ['1', '2']);
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal(service.counts.detail, detail);
  });

  test('a job without a project in the list is ours when a watch has one of its URLs', async (t) => {
    const service = await startFakeService(t, { profile: ANONYMOUS });
    await buyElsewhere(service, [`${shopUrl('1')}/`], 'Renamed [sc00112233445566]');
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'suspended');
  });

  test('a batch in doubt is found by its URLs where the service shows no project', async (t) => {
    const service = await startFakeService(t, { profile: ANONYMOUS });
    const connector = await putInDoubt(t, service, 'drop-after');
    assert.equal(service.counts.post, 2);
    connector.pass(3_600_000);
    assert.equal((await connector.send()).kind, 'idle');
    assert.equal(await getHistoryHold(connector.ledger.db, account), null);
    const [batch] = await listBatches(connector.ledger);
    assert.deepEqual([batch?.state, batch?.reference], ['accepted', 'R-2']);
    assert.equal(service.counts.post, 2, 'nothing was sent again');
  });

  test('the price that a list shows beside the job of a batch in doubt decides what it cost', async (t) => {
    const priced = (job: object) => ({ ...job, price_per_url: 0.4 });
    const list: Profile['list'] = (jobs) => ({ submissions: jobs.map((job) => priced(toSummary(job))) });
    const service = await startFakeService(t, { profile: { ...ANONYMOUS, list } });
    const connector = await putInDoubt(t, service, 'drop-after');
    connector.pass(3_600_000);
    await connector.send();
    assert.equal((await listBatches(connector.ledger))[0]?.charge, 800_000);
  });

  test('a job with more URLs than the batch in doubt holds the account', async (t) => {
    const service = await startFakeService(t, { profile: ANONYMOUS });
    const connector = await putInDoubt(t, service, 'drop-before');
    await buyElsewhere(service, [shopUrl('2'), shopUrl('3'), shopUrl('4')], 'By hand');
    connector.pass(3_600_000);
    assert.equal((await connector.send()).kind, 'suspended');
  });

  test('a job that is not shown is asked for again for ten minutes, however long the others took', async (t) => {
    const overrides = { detail: () => failure(403, 'FORBIDDEN') };
    const service = await startFakeService(t, { profile: ANONYMOUS, overrides });
    await buyElsewhere(service, [shopUrl('1')]);
    const { ledger, deps, pass } = await connectTo(t, service);
    const send: SendRequest = (request) => deps.getApi(account).request('poll', request).then(unwrapData);
    const scope: HistoryScope = { ledger, account, projects: ['Shop'], send };
    const comparison = new HistoryComparison(scope);
    assert.equal((await comparison.readOn(scope, 1)).kind, 'unfinished', 'the list only');
    pass(600_000);
    assert.equal((await comparison.readOn(scope, 10)).kind, 'unfinished', 'refused for the first time');
    pass(599_999);
    assert.equal((await comparison.readOn(scope, 10)).kind, 'unfinished');
    pass(1);
    assert.equal((await comparison.readOn(scope, 10)).kind, 'held');
  });

  test('an open job that does not show its URLs yet is read again at the next comparison', async (t) => {
    const profile: Profile = {
      ...ANONYMOUS,
      detail: (job, paging) => (hasEnded(job) ? ANONYMOUS.detail(job, paging) : { ...toSummary(job), urls: [] }),
    };
    const service = await startFakeService(t, { profile });
    await buyElsewhere(service, [shopUrl('2')], 'By hand');
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    service.finish('completed');
    connector.pass(3_600_000);
    await connector.plan('r2', ['1', '2']);
    assert.equal((await connector.send()).kind, 'suspended');
  });

  for (const shown of ['SHOP [SC00112233445566]', 'Shop [sc0011', 'Sho']) {
    test(`a job whose project is shown as "${shown}" is ours when a watch has one of its URLs`, async (t) => {
      const service = await startFakeService(t, { profile: showing(shown) });
      await buyElsewhere(service, [shopUrl('1')]);
      const connector = await connectTo(t, service);
      await connector.plan('r1', ['1']);
      assert.equal((await connector.send()).kind, 'suspended');
    });
  }

  test('a job with our tag but without project and URLs holds the account', async (t) => {
    const service = await startFakeService(t);
    await buyElsewhere(service, [shopUrl('1')], 'Renamed [sc00112233445566]');
    await buyElsewhere(service, [shopUrl('2')], 'By hand');
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    const step = await connector.send();
    assert.ok(step.kind === 'suspended');
    assert.match(step.reason, /does not know \(R-1\)/);
  });

  test('a batch that a later copy of the ledger sent is accepted without being sent again', async (t) => {
    const service = await startFakeService(t);
    const later = await connectTo(t, service);
    await later.plan('r1', ['1', '2']);
    assert.equal((await later.send()).kind, 'sent');
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1', '2']);
    service.advance(48 * 3_600_000);
    assert.equal((await connector.send()).kind, 'idle');
    assert.equal(service.counts.post, 1);
    assert.deepEqual((await listBatches(connector.ledger))[0]?.state, 'accepted');
  });

  test('two comparisons at once hold nothing when one of them finds the batch in doubt', async (t) => {
    const service = await startFakeService(t);
    const { ledger, deps, plan, send } = await connectTo(t, service);
    await plan('r1', ['1']);
    await send();
    await plan('r2', ['1', '2']);
    service.faults.push('drop-after');
    await assert.rejects(send());
    const getStates = async () => (await listBatches(ledger)).map(({ state }) => state);
    assert.ok((await getStates()).includes('sending'));
    const request: SendRequest = (ask) => deps.getApi(account).request('poll', ask).then(unwrapData);
    const scope = { account, projects: ['Shop'], send: request };
    const db: Database = {
      ...ledger.db,
      async all<Row>(query: Query<Row>) {
        const rows = await ledger.db.all(query);
        // The other one is faster from here on.
        await compareHistory({ ledger, ...scope });
        return rows;
      },
    };
    assert.equal(await compareHistory({ ledger: { ...ledger, db }, ...scope }), null);
    assert.equal(await getHistoryHold(ledger.db, account), null);
    assert.deepEqual(await getStates(), ['accepted', 'accepted']);
  });

  test('a list that fails is requested again after seconds, then after at most a minute', async (t) => {
    const service = await startFakeService(t, { overrides: { list: always(failure(500, 'internal')) } });
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    const waits: unknown[] = [];
    for (let n = 0; n < 7; n++) {
      await assert.rejects(connector.send(), (error) => {
        assert.ok(isRetryLater(error));
        waits.push(error.nextRetryDelay);
        return true;
      });
      connector.pass(Number(waits.at(-1)));
    }
    assert.deepEqual(waits, [2_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
  });

  test('a list that fails for long holds an account whose process has never read it, until it can be read', async (t) => {
    const { service, list } = await startUnreadable(t);
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    await assert.rejects(connector.send());
    connector.pass(GIVE_UP_MS);
    const step = await connector.send();
    assert.ok(step.kind === 'suspended');
    assert.match(
      step.reason,
      /the list of jobs cannot be read \(.*500.*\), .*accounts\.main\.reconcile\.list to optional/,
    );
    const { suspended } = await getAccountStatus(connector.ledger, account);
    assert.equal(suspended === null ? null : renderReason(suspended), step.reason);
    connector.pass(24 * GIVE_UP_MS);
    await assert.rejects(connector.awaitMoney(), (error) => isRetryLater(error));
    assert.equal(service.counts.post, 0);
    list.fails = false;
    await connector.awaitMoney();
    assert.equal(await getHistoryHold(connector.ledger.db, account), null);
    assert.equal((await connector.send()).kind, 'sent');
  });

  test('a list that fails for long does not block a process that has read it', async (t) => {
    const { service, list } = await startUnreadable(t, { fails: false });
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    list.fails = true;
    connector.pass(3_600_000);
    await connector.plan('r2', ['1', '2']);
    await assert.rejects(connector.send(), isRetryLater);
    connector.pass(GIVE_UP_MS);
    assert.equal((await connector.send()).kind, 'sent');
  });

  test('a list that a gateway rejects with 401 fails like any other; a key that is rejected is', async (t) => {
    const rejected = failure(401, 'UNAUTHENTICATED');
    const service = { rejectsAll: false, rejectsList: true };
    const overrides = {
      list: () => (service.rejectsList || service.rejectsAll ? rejected : null),
      me: () => (service.rejectsAll ? rejected : null),
    };
    const { baseUrl, counts } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, ...settings });
    await connector.plan('r1', ['1']);
    await assert.rejects(connector.send(), isRetryLater);
    service.rejectsAll = true;
    assert.equal((await connector.send()).kind, 'key_rejected');
    assert.notEqual((await getAccountStatus(connector.ledger, account)).keyRejected, null);
    service.rejectsAll = false;
    connector.pass(GIVE_UP_MS);
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal(counts.post, 0);
    service.rejectsList = false;
    assert.equal((await connector.send()).kind, 'sent');
  });

  test('a list that is optional does not hold the account, and ends the hold of before', async (t) => {
    const { service } = await startUnreadable(t);
    const connector = await connectTo(t, service, 'reconcile: { list: optional }');
    await connector.plan('r1', ['1']);
    await holdSpending(connector.ledger, account, { code: 'list_unread', why: 'HTTP 500' });
    await assert.rejects(connector.send(), isRetryLater);
    connector.pass(GIVE_UP_MS);
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal(await getHistoryHold(connector.ledger.db, account), null);
  });

  test('a list that is optional ends the hold of before also where the list is rejected with 401', async (t) => {
    const list = always(failure(401, 'UNAUTHENTICATED'));
    const { baseUrl } = await startFakeService(t, { overrides: { list } });
    const more = 'reconcile: { list: optional }';
    const connector = await createTestConnector(t, { baseUrl, account: `${settings.account}, ${more}` });
    await connector.plan('r1', ['1']);
    await holdSpending(connector.ledger, account, { code: 'list_unread', why: 'HTTP 500' });
    assert.equal((await connector.send()).kind, 'sent');
  });

  test('an account that another process holds for the list waits until the list can be read', async (t) => {
    const { service, list } = await startUnreadable(t, { fails: false });
    const connector = await connectTo(t, service);
    await connector.plan('r1', ['1']);
    assert.equal((await connector.send()).kind, 'sent');
    await holdSpending(connector.ledger, account, { code: 'list_unread', why: 'HTTP 500' });
    list.fails = true;
    await connector.plan('r2', ['1', '2']);
    await assert.rejects(connector.send(), isRetryLater);
    connector.pass(GIVE_UP_MS);
    assert.equal((await connector.send()).kind, 'suspended');
    list.fails = false;
    assert.equal((await connector.send()).kind, 'sent');
  });
});

test('a comparison reads the list from the days before the last job that the ledger knows', async (t) => {
  const service = await startFakeService(t);
  const connector = await connectTo(t, service);
  const from: (string | undefined)[] = [];
  const compare = () =>
    compareHistory({
      ...{ ledger: connector.ledger, account, projects: ['Shop'] },
      send: (request) => {
        const client = {
          listSubmissions: (query: { from?: string }) => {
            from.push(query.from);
            return { status: 200, data: { submissions: [], page: { last: true, total: 0 } } };
          },
        };
        return Promise.resolve(request(client as never)).then((answer) => (answer as unknown as { data: never }).data);
      },
    });
  await compare();
  await connector.plan('r1', ['1']);
  await connector.send();
  const day = new Date(connector.now() - 2 * 86_400_000).toISOString().slice(0, 10);
  await compare();
  assert.deepEqual(from, [undefined, day]);
});
