import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { openVisitor } from '../../test/support/dashboard.ts';
import { TEST_DIALECTS } from '../../test/support/database.ts';
import { AMPLE, type Bench, lira, openService, serviceTest, TestClient } from '../../test/support/service.ts';
import { newKey } from '../accounts/key-format.ts';

const skip = TEST_DIALECTS.includes('postgres') ? false : 'needs a Postgres';

/** Whoever reads these tables waits until `work` has ended. */
async function whileLocked<T>({ db }: Bench, table: ReturnType<typeof sql>, work: () => Promise<T>): Promise<T> {
  const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lock = db.tx(async (tx) => {
    await tx.run(sql`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    locked.resolve();
    await ended.promise;
  });
  await locked.promise;
  try {
    return await work();
  } finally {
    ended.resolve();
    await lock;
  }
}

async function openNeighbour({ service }: Bench): Promise<TestClient> {
  const { id } = await service.accounts.createAccount({ name: 'neighbour', balance: lira('1'), price: lira('0.1') });
  return new TestClient(service.baseUrl, (await service.accounts.createKey({ account: id })).apiKey);
}

interface Turns {
  readonly running: number;
  readonly waiting: number;
}

async function untilTurns({ service }: Bench, reached: (turns: Turns) => boolean): Promise<Turns> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
    const read = (state: string) => Number(new RegExp(`database_turns\\{state="${state}"\\} (\\d+)`).exec(text)?.[1]);
    const turns = { running: read('running'), waiting: read('waiting') };
    if (reached(turns)) return turns;
  }
  throw new Error('the queue did not fill');
}

describe('a fair share for each customer', () => {
  test('pages of one customer leave connections to Postgres for the others', { skip }, async (t) => {
    const bench = await openService(t, 'postgres', { settings: { admin: { host: '127.0.0.1', port: 0 } } });
    const [visitor, neighbour] = [await openVisitor(bench), await openNeighbour(bench)];
    assert.equal((await neighbour.get('/balance')).status, 200);
    const pages: Promise<unknown>[] = [];
    let ended = 0;
    await whileLocked(bench, sql`entries`, async () => {
      for (const path of ['/entries', '/entries.csv', '/']) {
        for (let index = 0; index < 8; index++) pages.push(visitor.get(path).finally(() => ended++));
      }
      await untilTurns(bench, ({ waiting }) => waiting > 0);
      assert.equal((await neighbour.get('/balance')).status, 200);
      assert.equal(ended, 0, 'it did not wait for a page');
    });
    await Promise.all(pages);
  });

  test('invented keys of one address have one share, and hold up no known key', { skip }, async (t) => {
    const bench = await openService(t, 'postgres', { settings: { admin: { host: '127.0.0.1', port: 0 } } });
    assert.equal((await bench.client.get('/balance')).status, 200);
    const { baseUrl, key } = bench.client;
    const answers: Promise<{ status: number }>[] = [];
    await whileLocked(bench, sql`api_keys`, async () => {
      // Well-formed, so each is looked up.
      for (let index = 0; index < 20; index++) answers.push(new TestClient(baseUrl, newKey()).get('/balance'));
      const { running } = await untilTurns(bench, (turns) => turns.running + turns.waiting >= 20);
      assert.ok(running <= 4, 'they run in half of the slots');
    });
    for (const { status } of await Promise.all(answers)) assert.ok(status === 401 || status === 503);
    assert.equal((await new TestClient(baseUrl, key).get('/balance')).status, 200);
  });

  test('a revoked key uses the share of its address, not that of its account', { skip }, async (t) => {
    const bench = await openService(t, 'postgres', {
      settings: { load: { requests: 1_000, requestsPerAccount: 3 }, admin: { host: '127.0.0.1', port: 0 } },
    });
    const { service, account, client } = bench;
    const { id } = await service.accounts.account(account);
    const stolen = await service.accounts.createKey({ account: id });
    const thief = new TestClient(service.baseUrl, stolen.apiKey);
    for (const each of [client, thief]) assert.equal((await each.get('/balance')).status, 200);
    await service.accounts.revokeKey(stolen.id);
    assert.equal((await thief.get('/balance')).status, 401);
    const answers: Promise<number>[] = [];
    await whileLocked(bench, sql`api_keys`, async () => {
      for (let index = 0; index < 3; index++) answers.push(thief.get('/balance').then(({ status }) => status));
      await untilTurns(bench, ({ running, waiting }) => running + waiting >= 3);
      answers.push(client.get('/balance').then(({ status }) => status));
      await untilTurns(bench, ({ running, waiting }) => running + waiting >= 4);
    });
    assert.deepEqual(await Promise.all(answers), [401, 401, 401, 200]);
  });

  serviceTest(
    'the dashboard of an account has as many pages a minute as a key has requests',
    async (bench) => {
      const visitor = await openVisitor(bench);
      for (let page = 0; page < 5; page++) assert.equal((await visitor.get('/keys')).status, 200);
      const refused = await visitor.get('/submissions.csv');
      assert.equal(refused.status, 429);
      const wait = Number(refused.headers.get('retry-after'));
      assert.ok(wait > 0 && wait <= 60, `${wait}`);
      assert.match(refused.text, /Too many pages in a minute/);
      assert.equal((await bench.client.get('/balance')).status, 200, 'the API has budgets of its own');
    },
    { settings: { budgets: { ...AMPLE, minute: { limit: 5, windowMs: 60_000 } } } },
  );

  test('keys of one account share the requests that it may have at the same time', { skip }, async (t) => {
    const bench = await openService(t, 'postgres', { settings: { load: { requests: 1_000, requestsPerAccount: 10 } } });
    const { service, account, client } = bench;
    const { id } = await service.accounts.account(account);
    const other = new TestClient(service.baseUrl, (await service.accounts.createKey({ account: id })).apiKey);
    const neighbour = await openNeighbour(bench);
    for (const each of [client, other, neighbour]) assert.equal((await each.get('/balance')).status, 200);
    const answers: Promise<number>[] = [];
    await whileLocked(bench, sql`submission_totals`, async () => {
      for (const each of [client, other]) {
        for (let index = 0; index < 6; index++) answers.push(each.get('/stats').then(({ status }) => status));
      }
      assert.equal(await Promise.race(answers), 503);
      assert.equal((await neighbour.get('/balance')).status, 200);
    });
    assert.equal((await Promise.all(answers)).filter((status) => status === 503).length, 2);
  });
});
