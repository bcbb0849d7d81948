import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from '../src/database/sql.ts';
import { listOpenSubmissions } from '../src/ledger/jobs/record-poll.ts';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import { getUrlHistory } from '../src/ledger/reports/url-history.ts';
import type { WatchId } from '../src/submission/ids.ts';
import type { JobStatus } from '../src/temporal-api/payloads.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { always, failure, type Reply, success } from '../test/fakes/service/replies.ts';
import { type Dialect, testOnEachDialect } from '../test/support/database.ts';
import { ACCOUNT, shopUrl } from '../test/support/ledger.ts';
import { createTestConnector } from '../test/support/test-connector.ts';
import { toActivityFailure } from './interceptor.ts';
import { trackActivities } from './track.ts';

const TRACKED =
  'price_per_url: 0.25 TRY, tracking: { standard: { first: 1m, min: 1m, max: 10m, growth: 2, timeout: 1d } }';

describe('a job reported as partial while URLs are open', () => {
  const scene = (polls: number) => ({
    list: always(success({ submissions: [], total: 0 })),
    detail: (n: number, reference: string) =>
      success({
        reference,
        status: 'partial',
        urls: [
          { url: shopUrl('1'), status: 'completed' },
          { url: shopUrl('2'), status: n < polls ? 'pending' : 'completed' },
        ],
      }),
  });

  for (const [what, polls, state] of [
    ['is polled again until each has a result', 8, 'completed'],
    ['is settled after some polls, and the open URL counts as bought', 10_000, 'known'],
  ] as const) {
    testOnEachDialect(what, async (t, dialect) => {
      const { baseUrl } = await startFakeService(t, { overrides: scene(polls) });
      const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
      await connector.plan('r1', ['1', '2']);
      const { ended } = await connector.play();
      assert.ok(ended);
      const [batch] = await listBatches(connector.ledger);
      assert.equal(batch?.jobState, 'partial');
      assert.equal((await getUrlHistory(connector.ledger, shopUrl('2')))[0]?.state, state);
    });
  }
});

describe('a job reported as partial after many polls', () => {
  testOnEachDialect('is polled again while URLs of it are open', async (t, dialect) => {
    const { baseUrl } = await startFakeService(t, {
      overrides: {
        list: always(success({ submissions: [], total: 0 })),
        detail: (n, reference) =>
          success({
            reference,
            status: n < 14 ? 'processing' : 'partial',
            urls: [
              { url: shopUrl('1'), status: 'failed' },
              { url: shopUrl('2'), status: n < 18 ? 'pending' : 'completed' },
            ],
          }),
      },
    });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1', '2']);
    assert.ok((await connector.play()).ended);
    assert.equal((await getUrlHistory(connector.ledger, shopUrl('2')))[0]?.state, 'completed');
  });
});

describe('a completed job', () => {
  const urls = [
    { url: shopUrl('1'), status: 'completed' },
    { url: shopUrl('2'), status: 'failed', reason: 'blocked by robots' },
    { url: shopUrl('3'), status: 'pending' },
  ];

  async function follow(t: TestContext, dialect: Dialect, detail: (n: number) => Reply) {
    const { baseUrl, counts } = await startFakeService(t, {
      overrides: { list: always(success({ submissions: [], total: 0 })), detail },
    });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1', '2', '3']);
    const began = connector.now();
    assert.ok((await connector.play()).ended);
    const [batch] = await listBatches(connector.ledger);
    assert.equal(batch?.jobState, 'completed');
    const [failed] = await getUrlHistory(connector.ledger, shopUrl('2'));
    const { completed } = batch;
    return { completed, failed: failed?.state, details: counts.detail, ms: connector.now() - began };
  }

  for (const [what, counts] of [
    ['whose counts show failed URLs', { url_count: 3, counts: { completed: 1, failed: 1 } }],
    ['whose counts show fewer completed URLs than it has', { url_count: 3, completed: 2 }],
    ['without counts', {}],
  ] as const) {
    testOnEachDialect(`${what} fails the URLs that the service calls failed, and no others`, async (t, dialect) => {
      const seen = await follow(t, dialect, () => success({ status: 'completed', ...counts, urls }));
      assert.deepEqual([seen.completed, seen.failed, seen.details], [2, 'failed', 2]);
    });
  }

  testOnEachDialect('whose counts show every URL as completed costs no request for its URLs', async (t, dialect) => {
    const seen = await follow(t, dialect, () => success({ status: 'completed', url_count: 3, failed_count: 0, urls }));
    assert.deepEqual([seen.completed, seen.failed, seen.details], [3, 'completed', 1]);
  });

  testOnEachDialect('whose counts only the page of its URLs shows costs one request', async (t, dialect) => {
    const pagination = { page: 1, total: 3, total_pages: 3 };
    const seen = await follow(t, dialect, (n) =>
      success({ status: 'completed', ...(n === 1 ? {} : { failed_count: 0 }), urls: urls.slice(0, 1), pagination }),
    );
    assert.deepEqual([seen.completed, seen.details], [3, 2]);
  });

  testOnEachDialect('whose URLs stay unreadable is taken at its word at the tracking timeout', async (t, dialect) => {
    const seen = await follow(t, dialect, (n) =>
      n % 2 === 1 ? success({ status: 'completed' }) : failure(404, 'NO_SUCH_PAGE'),
    );
    assert.deepEqual([seen.completed, seen.failed], [3, 'completed']);
    assert.ok(seen.ms >= 86_400_000);
  });
});

describe('an account that waits for funds', () => {
  testOnEachDialect('is suspended as long as one batch waits, and no longer', async (t, dialect) => {
    let rich = false;
    const overrides = {
      post: (_: number, key: string) => (rich ? success({ reference: `R-${key}` }, 202) : failure(402, 'NO_MONEY')),
      balance: () => success({ balance: rich ? 50 : 0 }),
    };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1', '2']);
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal((await getAccountStatus(connector.ledger, ACCOUNT.id)).suspended?.code, 'insufficient_balance');
    rich = true;
    await connector.awaitMoney();
    assert.equal((await connector.send()).kind, 'sent');
    assert.equal((await getAccountStatus(connector.ledger, ACCOUNT.id)).suspended, null);
  });
});

describe('a job whose watch is no longer configured', () => {
  testOnEachDialect('leaves its failed URLs to the watch that lists them next', async (t, dialect) => {
    const { baseUrl } = await startFakeService(t, {
      overrides: {
        list: always(success({ submissions: [], total: 0 })),
        detail: () => success({ status: 'failed', urls: [{ url: shopUrl('1'), status: 'failed', reason: 'gone' }] }),
      },
    });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1']);
    await connector.play({ sendOnly: true });
    (connector.deps.config.watches as Map<WatchId, unknown>).delete('shop' as WatchId);
    assert.ok((await connector.play()).ended);
    const [url] = await getUrlHistory(connector.ledger, shopUrl('1'));
    assert.deepEqual([url?.state, url?.due], ['failed', 'retry']);
    assert.match(url?.reason ?? '', /^failed once: gone; its watch was not configured then/);
  });
});

describe('a job that an older copy of the ledger lacks', () => {
  const DETAIL = always(success({ status: 'completed', url_count: 1, completed: 1, failed_count: 0 }));

  /** Its tracker polls before the ledger has the job again. */
  async function lose(t: TestContext, dialect: Dialect) {
    const overrides = { list: always(success({ submissions: [], total: 0 })), detail: DETAIL };
    const { baseUrl } = await startFakeService(t, { overrides });
    const connector = await createTestConnector(t, { baseUrl, account: TRACKED, dialect });
    await connector.plan('r1', ['1']);
    await connector.play({ sendOnly: true });
    const [job] = await listOpenSubmissions(connector.ledger, ACCOUNT.id);
    assert.ok(job !== undefined);
    const { state: known, ...open } = job;
    const input = { ...open, account: ACCOUNT.id, firstPollMs: 0, known };
    const setReference = (reference: string) =>
      connector.ledger.db.run(sql`UPDATE batches SET reference = ${reference}`);
    await setReference('R-of-the-copy');
    const { followSubmission } = trackActivities(connector.deps);
    async function poll(): Promise<JobStatus> {
      const work = (): Promise<JobStatus> => followSubmission(input);
      try {
        return await new MockActivityEnvironment({ attempt: 1 }).run(work);
      } catch (error) {
        throw toActivityFailure(error);
      }
    }
    return { connector, poll, find: () => setReference(open.reference) };
  }

  testOnEachDialect('is polled on, and settled once the ledger knows it', async (t, dialect) => {
    const { connector, poll, find } = await lose(t, dialect);
    await assert.rejects(poll(), (error: ApplicationFailure) => {
      assert.notEqual(error.nonRetryable, true);
      assert.equal(typeof error.nextRetryDelay, 'number');
      assert.match(error.message, /does not know job .*courier recover/s);
      return true;
    });
    await find();
    connector.pass(60_000);
    assert.equal((await poll()).terminal, true);
    assert.equal((await getUrlHistory(connector.ledger, shopUrl('1')))[0]?.state, 'completed');
  });

  testOnEachDialect('is given up at the tracking timeout', async (t, dialect) => {
    const { connector, poll } = await lose(t, dialect);
    connector.pass(2 * 86_400_000);
    await assert.rejects(poll(), (error: ApplicationFailure) => error.nonRetryable === true);
  });
});
