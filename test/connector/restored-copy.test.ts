/** A copy of a ledger is put back: jobs of ours that it lacks are noticed, however many jobs of others are listed before them. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { unwrapData } from '../../src/api-client/errors.ts';
import type { SendRequest } from '../../src/api-client/history.ts';
import { recoverAccount } from '../../src/connector/recover-account.ts';
import { raw, sql } from '../../src/database/sql.ts';
import { findWrongTotals } from '../../src/ledger/journal/totals.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { isRetryLater } from '../../src/temporal-api/retry-later.ts';
import { type FakeService, startFakeService } from '../fakes/service/fake-service.ts';
import { getUrlPage, PLAIN, type Profile } from '../fakes/service/profile.ts';
import type { Job } from '../fakes/service/records.ts';
import { failure } from '../fakes/service/replies.ts';
import { type Dialect, emptyDatabaseUrl, testOnEachDialect } from '../support/database.ts';
import { createTestConnector, type TestConnector } from '../support/test-connector.ts';

const ACCOUNT = 'main' as AccountId;
const pages = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => String(from + n));

interface Shape {
  readonly listsFirst: 'newest' | 'oldest';
  /** Whether the service shows the project of a job. */
  readonly showsProject: boolean;
}

const SHAPES: readonly Shape[] = (['newest', 'oldest'] as const).flatMap((listsFirst) =>
  [true, false].map((showsProject) => ({ listsFirst, showsProject })),
);
const name = ({ listsFirst, showsProject }: Shape) =>
  `${listsFirst} first, ${showsProject ? 'with' : 'without'} the project`;

const toProfile = ({ listsFirst, showsProject }: Shape): Profile => {
  const show = ({ reference, state, urls, project }: Job) => ({
    ...{ reference, status: state, url_count: urls.length },
    ...(showsProject ? { project } : {}),
  });
  return {
    ...PLAIN,
    listsFirst,
    list: (jobs, { page, limit, total }) => ({
      submissions: jobs.map(show),
      pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
    }),
    detail: (job, paging) => ({
      ...show(job),
      urls: getUrlPage(job, paging).map(([url]) => ({ url, status: 'pending' })),
    }),
  };
};

/** Jobs that someone else buys in the account. */
function buyElsewhere({ submit }: FakeService, jobs: number, batch: string): void {
  for (let n = 0; n < jobs; n++) {
    const urls = [`https://other.example/${batch}/${n}`];
    submit(`by-hand-${batch}-${n}`, JSON.stringify({ urls, project: 'By hand' }));
  }
}

/** Takes from the ledger what was written after its first run, as a copy of that time has it. */
async function putCopyBack({ db }: Ledger): Promise<void> {
  const tables = ['journal', 'batch_answers', 'batch_bodies', 'batch_urls', 'batches'];
  const conditions = ['of_id > 1', 'batch_id > 1', 'batch_id > 1', 'batch_id > 1', 'id > 1'];
  await db.tx(async (tx) => {
    for (const [at, table] of tables.entries()) await tx.run(raw(`DELETE FROM ${table} WHERE ${conditions[at]}`));
    for (const { account_id, day, watch_id, kind, bucket, ...more } of await findWrongTotals(tx))
      await tx.run(sql`
        UPDATE journal_totals SET amount = amount - ${more.amount}, counted = counted - ${more.counted},
          urls = urls - ${more.urls}, unpriced = unpriced - ${more.unpriced}
        WHERE account_id = ${account_id} AND day = ${day} AND watch_id = ${watch_id} AND kind = ${kind} AND bucket = ${bucket}`);
    await tx.run(raw('DELETE FROM urls WHERE id NOT IN (SELECT url_id FROM batch_urls)'));
    for (const table of ['sitemap_snapshots', 'run_skips', 'run_sitemaps', 'sitemaps', 'foreign_jobs', 'account_stops'])
      await tx.run(raw(`DELETE FROM ${table}`));
  });
}

/** Six pages are bought; the ledger is copied; 40 more are bought, and jobs of others; the copy comes back, and five pages more. */
async function restore(t: TestContext, dialect: Dialect, shape: Shape, others: number) {
  const service = await startFakeService(t, { profile: toProfile(shape) });
  const database = emptyDatabaseUrl(t, dialect);
  const open = () =>
    createTestConnector(t, { baseUrl: service.baseUrl, account: 'price_per_url: 0.25 TRY', dialect, database });
  const before = await open();
  await before.plan('r1', pages(0, 6));
  assert.equal((await before.send()).kind, 'sent');
  if (shape.listsFirst === 'oldest') buyElsewhere(service, others, 'between');
  await before.plan('r2', pages(0, 46));
  assert.equal((await before.send()).kind, 'sent');
  if (shape.listsFirst === 'newest') buyElsewhere(service, others, 'after');
  await putCopyBack(before.ledger);
  const connector = await open();
  await connector.plan('r3', pages(0, 51));
  return { service, connector };
}

const countTwice = ({ charges }: FakeService): number => [...charges.values()].filter((times) => times > 1).length;

async function recover({ deps, ledger }: TestConnector): Promise<boolean> {
  const send: SendRequest = async (request) => unwrapData(await deps.getApi(ACCOUNT).request('poll', request));
  const { held } = await recoverAccount({
    ...{ ledger, account: deps.getAccount(ACCOUNT), watches: [...deps.config.watches.values()], fallback: null },
    ...{ since: null, accept: true, send, signal: new AbortController().signal },
    progress: { listed: () => undefined, read: () => undefined, waiting: () => undefined },
  });
  return held;
}

/** Many requests, and no statement that fewer jobs do not make. */
const testOnSqlite: typeof testOnEachDialect = (what, work) => test(what, (t) => work(t, 'sqlite'));

describe('a copy of a ledger that lacks a job of ours', () => {
  for (const shape of SHAPES) {
    for (const others of [0, 1, 8, 12, 30, 100, 520, 1_000]) {
      const testIt = others > 100 && !shape.showsProject ? testOnSqlite : testOnEachDialect;
      testIt(`buys nothing behind ${others} jobs of others (${name(shape)})`, async (t, dialect) => {
        const { service, connector } = await restore(t, dialect, shape, others);
        const { messages } = await connector.play({ steps: 100, sendOnly: true });
        assert.match(messages.join('\n'), /suspended: the service has jobs of ours that this ledger does not know/);
        assert.equal(countTwice(service), 0);
        assert.equal(service.charges.size, 46 + others);
      });
    }
  }

  for (const shape of SHAPES) {
    testOnEachDialect(`buys the rest once it is recovered (${name(shape)})`, async (t, dialect) => {
      const { service, connector } = await restore(t, dialect, shape, 12);
      await connector.play({ steps: 20, sendOnly: true });
      assert.equal(await recover(connector), false);
      await connector.plan('r4', pages(0, 51));
      await connector.play({ steps: 20, sendOnly: true });
      assert.deepEqual([countTwice(service), service.charges.size], [0, 51 + 12]);
    });
  }
});

describe('an account with many jobs of others', () => {
  for (const shape of SHAPES) {
    testOnEachDialect(`buys, and each of them is read once (${name(shape)})`, async (t, dialect) => {
      const service = await startFakeService(t, { profile: toProfile(shape) });
      const database = emptyDatabaseUrl(t, dialect);
      const { baseUrl, counts } = service;
      const open = () => createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect, database });
      buyElsewhere(service, 300, 'before');
      const first = await open();
      await first.plan('r1', pages(0, 6));
      const began = first.now();
      await first.play({ steps: 100, sendOnly: true });
      assert.equal(service.charges.size, 306);
      assert.equal(counts.detail, shape.showsProject ? 0 : 300);
      assert.ok(first.now() - began < 5 * 60_000, 'within minutes');
      const read = { ...counts };
      const next = await open();
      await next.plan('r2', pages(0, 9));
      await next.play({ steps: 100, sendOnly: true });
      assert.equal(service.charges.size, 309);
      assert.deepEqual([counts.detail - read.detail, counts.list - read.list], [0, 4], 'a request for 100 jobs');
    });
  }

  testOnEachDialect('goes on where a process ended that had not read them all', async (t, dialect) => {
    const service = await startFakeService(t, { profile: toProfile({ listsFirst: 'newest', showsProject: false }) });
    const database = emptyDatabaseUrl(t, dialect);
    buyElsewhere(service, 250, 'before');
    for (let process = 0; process < 3; process++) {
      const { baseUrl } = service;
      const connector = await createTestConnector(t, { baseUrl, dialect, database });
      if (process === 0) await connector.plan('r1', ['1']);
      await connector.play({ steps: 3, sendOnly: true });
      assert.equal(service.counts.post, 0, 'nothing is bought meanwhile');
    }
    assert.ok(service.counts.detail >= 200, `${service.counts.detail} jobs were read`);
    const last = await createTestConnector(t, { baseUrl: service.baseUrl, dialect, database });
    await last.play({ steps: 20, sendOnly: true });
    assert.deepEqual([service.counts.post, service.counts.detail], [1, 250]);
  });

  testOnEachDialect(
    'is held at once for a job that its process remembers, before all others are read',
    async (t, dialect) => {
      const service = await startFakeService(t, { profile: toProfile({ listsFirst: 'newest', showsProject: false }) });
      const connector = await createTestConnector(t, { baseUrl: service.baseUrl, dialect });
      await connector.plan('r1', pages(0, 6));
      await connector.send();
      await connector.plan('r2', pages(0, 9));
      await connector.send();
      buyElsewhere(service, 100, 'after');
      await putCopyBack(connector.ledger);
      await connector.plan('r3', pages(0, 10));
      const step = await connector.send();
      assert.ok(step.kind === 'suspended' && /does not know \(R-2\)/.test(step.reason), JSON.stringify(step));
      assert.ok(service.counts.detail < 100);
    },
  );

  testOnEachDialect('reads what others bought while a comparison rested for long', async (t, dialect) => {
    const service = await startFakeService(t, { profile: toProfile({ listsFirst: 'newest', showsProject: false }) });
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl, dialect });
    buyElsewhere(service, 60, 'before');
    await connector.plan('r1', ['1']);
    await assert.rejects(connector.send(), isRetryLater);
    connector.pass(2 * 3_600_000);
    buyElsewhere(service, 5, 'meanwhile');
    await connector.play({ steps: 20, sendOnly: true });
    assert.deepEqual([service.counts.post, service.counts.detail], [1, 65]);
  });

  for (const status of [400, 403, 404]) {
    testOnEachDialect(`is held for one that the service refuses to show (${status})`, async (t, dialect) => {
      const service = await startFakeService(t, {
        profile: toProfile({ listsFirst: 'newest', showsProject: false }),
        overrides: { detail: (_, reference) => (reference === 'R-2' ? failure(status, 'NO') : null) },
      });
      buyElsewhere(service, 3, 'before');
      const connector = await createTestConnector(t, { baseUrl: service.baseUrl, dialect });
      await connector.plan('r1', ['1']);
      const { messages } = await connector.play({ steps: 100, sendOnly: true });
      assert.match(messages.join('\n'), /does not know \(R-2\)/);
      assert.equal(service.counts.post, 0);
      assert.equal(await recover(connector), false);
      await connector.play({ steps: 20, sendOnly: true });
      assert.equal(service.counts.post, 1);
    });
  }

  testOnEachDialect('waits for one that the service shows a little later', async (t, dialect) => {
    const service = await startFakeService(t, {
      profile: toProfile({ listsFirst: 'newest', showsProject: false }),
      overrides: { detail: (n, reference) => (n < 9 && reference === 'R-2' ? failure(404, 'NOT_YET') : null) },
    });
    buyElsewhere(service, 3, 'before');
    const connector = await createTestConnector(t, { baseUrl: service.baseUrl, dialect });
    await connector.plan('r1', ['1']);
    await connector.play({ steps: 100, sendOnly: true });
    assert.deepEqual([service.counts.post, service.counts.detail], [1, 9]);
  });
});
