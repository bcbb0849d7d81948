import assert from 'node:assert/strict';
import { describe, type TestContext } from 'node:test';
import { ApplicationFailure } from '@temporalio/common';
import { micros } from '../contract/money.ts';
import type { Queryable } from '../src/database/database.ts';
import { compile, type Query, sql } from '../src/database/sql.ts';
import { recordStop } from '../src/ledger/accounts/stops.ts';
import { holdSpending } from '../src/ledger/jobs/history-hold.ts';
import { getAccountStatus } from '../src/ledger/money/account-status.ts';
import { confirmAccount } from '../src/ledger/money/confirm-account.ts';
import { listBatches } from '../src/ledger/reports/lists.ts';
import { isRetryLater } from '../src/temporal-api/retry-later.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { always, failure, type Overrides } from '../test/fakes/service/replies.ts';
import { type Dialect, testOnEachDialect } from '../test/support/database.ts';
import { ACCOUNT } from '../test/support/ledger.ts';
import { createTestConnector } from '../test/support/test-connector.ts';

/** The dispatcher's activities with one planned batch. */
async function openScene(t: TestContext, dialect: Dialect, overrides: Overrides) {
  const { baseUrl } = await startFakeService(t, { overrides });
  const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect });
  await connector.plan('r1', ['1', '2']);
  return connector;
}

const conflict = always(failure(409, 'idempotency_conflict'));
const unauthorized = always(failure(401, 'unauthorized'));

describe('the dispatcher activities', () => {
  testOnEachDialect(
    'a key rejected while a batch is looked up suspends the account, not the dispatcher',
    async (t, dialect) => {
      const { ledger, send } = await openScene(t, dialect, {
        post: conflict,
        // The comparison before the first purchase reads it.
        list: (n) => (n === 1 ? null : unauthorized()),
      });
      assert.equal((await send()).kind, 'sent');
      assert.equal((await send()).kind, 'key_rejected');
      assert.deepEqual((await listBatches(ledger))[0]?.state, 'sending', 'it is looked up again when the key works');
    },
  );

  testOnEachDialect('a lookup that fails for long is not repeated with each Retry-After', async (t, dialect) => {
    let lists = 0;
    const { send, pass } = await openScene(t, dialect, {
      post: conflict,
      // The comparison before the first purchase reads it.
      list: (n) => {
        lists = n;
        return n === 1 ? null : failure(503, 'busy', { 'retry-after': '1' });
      },
    });
    assert.equal((await send()).kind, 'sent');
    pass(10 * 60_000);
    await assert.rejects(send(), isRetryLater);
    const before = lists;
    pass(2_000);
    await assert.rejects(send(), isRetryLater);
    assert.equal(lists, before);
  });

  testOnEachDialect('a rejected lookup leaves the batch for review and does not block others', async (t, dialect) => {
    const { ledger, send } = await openScene(t, dialect, { post: conflict, list: always(failure(400, 'bad_request')) });
    assert.equal((await send()).kind, 'sent');
    assert.equal((await send()).kind, 'sent');
    const [batch] = await listBatches(ledger);
    assert.equal(batch?.state, 'needs_review');
    assert.match(batch?.reason ?? '', /nothing is sent again/);
    assert.equal((await send()).kind, 'idle');
  });

  testOnEachDialect(
    'a batch that a cap set aside goes within half a minute of the cap being raised',
    async (t, dialect) => {
      const { baseUrl } = await startFakeService(t);
      const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect });
      const account = connector.deps.getAccount(ACCOUNT.id);
      const setCap = (perDay: number) =>
        Object.assign(connector.deps, {
          getAccount: () => ({ ...account, spend: { ...account.spend, perDay: micros(perDay) } }),
        });
      await connector.plan('r1', ['1', '2']);
      assert.equal((await connector.send()).kind, 'sent');
      await connector.plan('r2', ['1', '2', '3', '4']);
      setCap(750_000);
      const waits = (error: Error) =>
        isRetryLater(error) && Number((error as ApplicationFailure).nextRetryDelay) <= 30_000;
      await assert.rejects(connector.send(), waits);
      connector.pass(30_000);
      await assert.rejects(connector.send(), waits);
      setCap(1_000_000);
      connector.pass(30_000);
      assert.equal((await connector.send()).kind, 'sent');
    },
  );

  testOnEachDialect(
    'a batch in doubt of a decided run is not sent again at a price above what was shown',
    async (t, dialect) => {
      let price = 250_000;
      const posts: string[] = [];
      const { ledger, send, pass, deps } = await openScene(t, dialect, {
        post: (_, key) => {
          posts.push(key);
          return failure(500, 'internal');
        },
      });
      Object.assign(deps, {
        confirmAccount: () =>
          confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: { standard: micros(price), fast: null } }),
      });
      await ledger.db.run(sql`UPDATE runs SET decision = 'approved', decided_urls = 2, decided_cost = 500000`);
      await assert.rejects(send(), isRetryLater);
      price = 1_000_000;
      pass(10 * 60_000);
      await assert.rejects(send(), isRetryLater);
      assert.equal(posts.length, 1);
    },
  );

  testOnEachDialect('a key rejected while the account waits for money is retried', async (t, dialect) => {
    const post = always(failure(402, 'insufficient_balance'));
    const { send, awaitMoney } = await openScene(t, dialect, { post, balance: unauthorized, me: unauthorized });
    assert.equal((await send()).kind, 'suspended');
    await assert.rejects(awaitMoney(), (error) => error instanceof ApplicationFailure && isRetryLater(error));
  });

  testOnEachDialect(
    'a send reads the queue once, and its batch once before the request and once after',
    async (t, dialect) => {
      const { ledger, send } = await openScene(t, dialect, {});
      const read: string[] = [];
      const watched = <Db extends Queryable>(db: Db): Db => ({
        ...db,
        all: (query: Query) => note(query, db.all(query)),
        get: (query: Query) => note(query, db.get(query)),
        one: (query: Query) => note(query, db.one(query)),
      });
      const note = <Rows>(query: Query, rows: Rows): Rows => {
        const { text } = compile(query, dialect);
        if (text.includes('b.*')) read.push('batch');
        else if (/ORDER BY\s+CASE b\.service/.test(text)) read.push('queue');
        return rows;
      };
      const { db } = ledger;
      Object.assign(ledger, {
        db: { ...watched(db), tx: (work: Parameters<typeof db.tx>[0]) => db.tx((tx) => work(watched(tx))) },
      });
      assert.equal((await send()).kind, 'sent');
      assert.deepEqual(read, ['queue', 'batch', 'batch']);
    },
  );
});

describe('an account that is stopped while nothing waits to be sent', () => {
  testOnEachDialect('asks until its key is accepted again', async (t, dialect) => {
    let works = false;
    const { baseUrl } = await startFakeService(t, { overrides: { me: () => (works ? null : unauthorized()) } });
    const { ledger, plan, send, awaitKey } = await createTestConnector(t, { baseUrl, dialect });
    await plan('r1', ['1']);
    assert.equal((await send()).kind, 'sent');
    await recordStop(ledger.db, ACCOUNT.id, {
      kind: 'key',
      at: 0,
      reason: { code: 'answer', outcome: 'reject_key', text: 'no key' },
    });
    assert.equal((await send()).kind, 'key_rejected');
    await assert.rejects(awaitKey(), isRetryLater);
    works = true;
    await awaitKey();
    assert.equal((await send()).kind, 'idle');
    assert.deepEqual(await getAccountStatus(ledger, ACCOUNT.id), { suspended: null, keyRejected: null });
  });

  testOnEachDialect('asks until its list can be read again', async (t, dialect) => {
    let works = false;
    const list = () => (works ? null : failure(500, 'internal'));
    const { baseUrl } = await startFakeService(t, { overrides: { list } });
    const { ledger, send, awaitMoney, pass } = await createTestConnector(t, { baseUrl, dialect });
    await holdSpending(ledger, ACCOUNT.id, { code: 'list_unread', why: 'HTTP 500' });
    assert.equal((await send()).kind, 'suspended');
    await assert.rejects(awaitMoney(), isRetryLater);
    works = true;
    pass(60_000);
    await awaitMoney();
    assert.equal((await send()).kind, 'idle');
    assert.deepEqual(await getAccountStatus(ledger, ACCOUNT.id), { suspended: null, keyRejected: null });
  });

  testOnEachDialect('ends where only an operator can end that', async (t, dialect) => {
    const { baseUrl } = await startFakeService(t);
    const { ledger, send } = await createTestConnector(t, { baseUrl, dialect });
    await holdSpending(ledger, ACCOUNT.id, { code: 'unknown_jobs', references: [], more: true });
    assert.equal((await send()).kind, 'idle');
  });
});

describe('a service that refuses every batch', () => {
  testOnEachDialect('gets three requests, and one more at each next attempt until it accepts', async (t, dialect) => {
    let works = false;
    const { baseUrl, counts } = await startFakeService(t, {
      overrides: { post: () => (works ? null : failure(404, 'not_found')) },
    });
    const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', dialect });
    const pages: string[] = [];
    for (let n = 1; n <= 20; n++) {
      pages.push(String(n));
      await connector.plan(`r${n}`, pages);
    }
    const steps = [await connector.send(), await connector.send(), await connector.send(), await connector.send()];
    assert.deepEqual(
      steps.map(({ kind }) => kind),
      ['sent', 'sent', 'suspended', 'suspended'],
    );
    assert.equal(counts.post, 3);
    const waits: number[] = [];
    const began = connector.now();
    for (;;) {
      const failed = await connector.awaitMoney().then(
        () => null,
        (error: unknown) => error,
      );
      if (failed === null) break;
      assert.ok(isRetryLater(failed) && typeof failed.nextRetryDelay === 'number');
      waits.push(failed.nextRetryDelay);
      connector.pass(failed.nextRetryDelay);
    }
    assert.equal(connector.now() - began, 15 * 60_000);
    assert.ok(Math.max(...waits) <= 30_000, 'it reads the ledger twice a minute, for an operator who ends the stop');
    assert.equal((await connector.send()).kind, 'suspended');
    assert.equal(counts.post, 4);
    works = true;
    const { ended } = await connector.play({ sendOnly: true });
    assert.ok(ended);
    assert.equal((await listBatches(connector.ledger, { state: 'accepted' })).length, 20);
  });
});
