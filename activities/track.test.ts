import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import type { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { sql } from '../src/database/sql.ts';
import { listOpenSubmissions, recordPoll } from '../src/ledger/jobs/record-poll.ts';
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

describe('a job that is partial on the way', () => {
  type Shown = readonly [state: string, first: string, second: string, counts?: object];
  const DONE: Shown = ['completed', 'failed', 'completed'];

  /** Follows a job of two URLs that shows these, one after the other; the last one forever. */
  async function follow(t: TestContext, dialect: Dialect, shown: readonly Shown[], more = '', nested = false) {
    const service = await startFakeService(t, {
      overrides: {
        list: always(success({ submissions: [], total: 0 })),
        detail: (n, reference) => {
          const [status, first, second, counts = {}] = shown[Math.min(Math.ceil(n / 2), shown.length) - 1]!;
          const job = { reference, status, ...counts };
          const urls = [
            { url: shopUrl('1'), status: first },
            { url: shopUrl('2'), status: second },
          ];
          return success(nested ? { submission: job, urls } : { ...job, urls });
        },
      },
    });
    const connector = await createTestConnector(t, {
      baseUrl: service.baseUrl,
      account: `${TRACKED}${more}`,
      watch: 'retry_failed: { times: 3, after: 1h }, index_check: { after: 1ms, every: 1d }',
      dialect,
    });
    await connector.plan('r1', ['1', '2']);
    const { ledger } = connector;
    /** What of it was decided before it was over. */
    const early: unknown[] = [];
    const watchIt = async () => {
      const due = await ledger.db.all(sql`SELECT u.url FROM urls AS u WHERE u.due = 'retry'`);
      const checks = await ledger.db.all(sql`SELECT url_id FROM check_queue`);
      const { settled } = await ledger.db.one(sql<{ settled: number }>`
        SELECT count(*) AS settled FROM batches WHERE settled_at IS NOT NULL`);
      if (settled === 0) early.push(...due, ...checks);
    };
    const looks: Promise<void>[] = [];
    // It looks for the end last: what it saw before was of an open job.
    const { ended } = await connector.play({ steps: 60, before: () => void looks.push(watchIt()) });
    await Promise.all(looks);
    assert.ok(ended, 'the job ends');
    assert.deepEqual(early, [], 'no URL is retried or checked before the job is over');
    const [batch] = await listBatches(ledger);
    const states = await Promise.all(['1', '2'].map(async (n) => (await getUrlHistory(ledger, shopUrl(n)))[0]?.state));
    return { connector, service, batch, states };
  }

  for (const [what, shown, jobState, states] of [
    ['and completes', [['partial', 'failed', 'pending'], DONE], 'completed', ['failed', 'completed']],
    [
      'for many polls with news, and completes',
      [
        ...Array.from({ length: 3 }, (): Shown => ['partial', 'pending', 'pending']),
        ['partial', 'failed', 'pending'],
        DONE,
      ],
      'completed',
      ['failed', 'completed'],
    ],
    [
      'and fails',
      [
        ['partial', 'completed', 'pending'],
        ['failed', 'completed', 'pending'],
      ],
      'failed',
      ['completed', 'failed'],
    ],
    [
      'then processes again, and completes',
      [
        ['partial', 'failed', 'pending'],
        ['processing', 'pending', 'pending'],
        ['completed', 'completed', 'completed'],
      ],
      'completed',
      ['completed', 'completed'],
    ],
    [
      'and completes with open URLs',
      [
        ['partial', 'failed', 'pending'],
        ['completed', 'failed', 'pending'],
      ],
      'completed',
      ['failed', 'completed'],
    ],
    [
      'and completes, by its counts, also what had failed',
      [
        ['partial', 'failed', 'pending'],
        ['completed', 'failed', 'pending', { url_count: 2, completed: 2, failed: 0 }],
      ],
      'completed',
      ['completed', 'completed'],
    ],
  ] as [string, readonly Shown[], string, string[]][]) {
    for (const nested of [false, true]) {
      testOnEachDialect(`${what}${nested ? ', nested' : ''}: has that end`, async (t, dialect) => {
        const seen = await follow(t, dialect, shown, '', nested);
        assert.deepEqual([seen.batch?.jobState, seen.batch?.reason, seen.states], [jobState, null, states]);
        assert.notEqual(seen.batch?.endedAt, null);
        seen.connector.pass(30 * 86_400_000);
        await seen.connector.plan('r2', ['1', '2']);
        await seen.connector.play({ steps: 3, sendOnly: true });
        for (const [at, state] of states.entries()) {
          const bought = state === 'failed' ? 2 : 1;
          assert.equal(seen.service.charges.get(shopUrl(String(at + 1))), bought, `${at + 1}, which is ${state}`);
        }
      });
    }
  }

  testOnEachDialect(
    'in a word of its own that the account calls terminal is not called unknown',
    async (t, dialect) => {
      const own: Shown[] = [
        ['stopped', 'completed', 'pending'],
        ['stopped', 'completed', 'failed'],
      ];
      const { batch } = await follow(t, dialect, own, ', terminal_states: [completed, stopped]');
      assert.deepEqual([batch?.jobState, batch?.reason], ['stopped', null]);
    },
  );

  testOnEachDialect('keeps its end when the service changes it after the job was over', async (t, dialect) => {
    const { connector, batch } = await follow(t, dialect, [['partial', 'failed', 'completed']]);
    const { reference } = batch!;
    const terminalStates = ['completed', 'partial', 'failed'];
    const later = await recordPoll(connector.ledger, ACCOUNT.id, reference!, { state: 'completed', terminalStates });
    assert.deepEqual([later.kind, later.state, later.terminal], ['refused', 'partial', true]);
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

  testOnEachDialect('that its URLs call unfinished is followed until they have ended', async (t, dialect) => {
    const open = urls.map(({ url }) => ({ url, status: 'pending' }));
    // Each poll asks for the state first, then for the URLs: the first answer is ahead of the second one.
    const seen = await follow(t, dialect, (n) =>
      n % 2 === 1 || n > 6 ? success({ status: 'completed', urls }) : success({ status: 'processing', urls: open }),
    );
    assert.deepEqual([seen.completed, seen.failed], [2, 'failed']);
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
    assert.match(url?.reason ?? '', /^failed once: gone; the watch that lists it decides/);
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
    const tracked = { charged: open.charge, firstPollMs: 0, firstPollAt: 'now', showsPolls: false };
    const input = { ...open, ...tracked, account: ACCOUNT.id, known };
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
