import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../src/database/sql.ts';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import { openProxy } from '../test/support/database-proxy.ts';
import { openSearchApi } from '../test/support/search-api.ts';
import { type Answer, lira, openService, TestClient, urlList } from '../test/support/service.ts';

const onPostgres = {
  skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
};

function isUnavailable({ status, headers, body }: Answer): void {
  assert.equal(status, 503);
  assert.equal(body.error?.code, 'service_unavailable');
  assert.ok(Number(headers.get('retry-after')) >= 1);
}

const submit = (client: TestClient) => client.post('/submissions', 'storage-key', { urls: urlList(2) });

describe('unavailable storage', () => {
  test('spec 4.6 rule 7: unavailable storage is 503 with Retry-After and no charge, and the service recovers automatically (sqlite)', async (t) => {
    const { client, url } = await openService(t, 'sqlite');
    await client.balance();
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    isUnavailable(await submit(client));
    assert.equal(await client.balance(), 1000);
    other.exec('ROLLBACK');
    other.close();
    assert.equal((await submit(client)).status, 202);
  });

  test('spec 4.6 rule 7: unavailable storage is 503 with Retry-After and no charge, and the service recovers automatically (postgres)', {
    ...onPostgres,
  }, async (t) => {
    const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
    const line = await openProxy(direct);
    const database = Object.assign(new URL(direct), { host: `127.0.0.1:${line.port}` }).href;
    const { client } = await openService(t, 'postgres', { database });
    t.after(() => line.cut());
    assert.equal(await client.balance(), 1000);
    await line.cut();
    isUnavailable(await submit(client));
    isUnavailable(await client.get('/balance'));
    assert.equal((await fetch(new URL('/readyz', client.baseUrl))).status, 503);
    assert.equal((await fetch(new URL('/healthz', client.baseUrl))).status, 200);
    await line.restore();
    assert.equal((await submit(client)).status, 202);
    assert.equal(await client.balance(), 999.5);
  });

  test(
    'spec 4.6 rule 7: when the response to the commit is lost, the outcome is unknown, and a retry with the same key finds it',
    onPostgres,
    async (t) => {
      const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
      const proxy = await openProxy(direct);
      const database = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href;
      const { client } = await openService(t, 'postgres', { database });
      t.after(() => proxy.cut());
      await client.balance();
      proxy.dropAnswersToCommit();
      const { status, headers, body } = await submit(client);
      assert.equal(status, 503);
      assert.equal(body.error?.code, 'outcome_unknown');
      assert.doesNotMatch(body.message, /[Nn]othing was charged/);
      assert.ok(Number(headers.get('retry-after')) >= 1);
      await proxy.cut();
      await proxy.restore();
      let again = await submit(client);
      // A connection of the pool that the proxy has ended may be tried first.
      for (let attempt = 0; again.status === 503 && attempt < 20; attempt++) again = await submit(client);
      assert.equal(again.status, 200);
      assert.equal(await client.balance(), 999.5);
    },
  );

  test('spec 4.8 rule 4: a check whose result cannot be stored is 409, not 503, and its charge is restored when the storage is back', async (t) => {
    let lock: DatabaseSync | undefined;
    let url = '';
    const brave = await openSearchApi(t, async () => {
      if (lock === undefined) {
        lock = new DatabaseSync(url.slice('sqlite:'.length));
        lock.exec('BEGIN IMMEDIATE');
      }
      return 400;
    });
    const bench = await openService(t, 'sqlite', { settings: { indexCheck: { provider: 'brave', brave } } });
    url = bench.url;
    const { client } = bench;
    const check = () => client.post('/index-check', 'lost-end-key', { urls: urlList(2) });
    await client.balance();
    const { status, headers, body } = await check();
    assert.equal(status, 409);
    assert.equal(body.error?.code, 'request_in_progress');
    assert.ok(Number(headers.get('retry-after')) <= 5);
    assert.equal(await client.balance(), 999, 'the charge stands');
    lock?.exec('ROLLBACK');
    const began = performance.now();
    while ((await client.balance()) !== 1000) await sleep(50);
    assert.ok(performance.now() - began < 20_000, 'long before the lease of 60 seconds ends');
  });

  test('spec 4.1: available and /readyz say whether a submission can be accepted now', async (t) => {
    const { client, url, service } = await openService(t, 'sqlite');
    const ask = async () => {
      const ready = await fetch(new URL('/readyz', client.baseUrl));
      const info = (await (await fetch(`${client.baseUrl}/`)).json()) as { data: { available: boolean } };
      return {
        ready: ready.status,
        available: info.data.available,
        body: (await ready.json()) as Record<string, unknown>,
      };
    };
    const before = await ask();
    assert.deepEqual([before.ready, before.available], [200, true]);
    assert.deepEqual([before.body.status, before.body.workers], ['degraded', 'none'], 'nobody processes');
    assert.match(service.notices.join(), /No Temporal server is configured: submissions are accepted and charged/);
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    await sleep(1_100);
    const locked = await ask();
    assert.deepEqual([locked.ready, locked.available], [503, false]);
    other.exec('ROLLBACK');
    other.close();
    await sleep(1_100);
    assert.equal((await ask()).ready, 200);
  });

  test('a customer whose queries block does not block another', onPostgres, async (t) => {
    const { client, db, service, account } = await openService(t, 'postgres');
    const other = await service.accounts.createAccount({ name: 'other', balance: lira('1'), price: lira('0.01') });
    const { apiKey } = await service.accounts.createKey({ account: other.id });
    const elsewhere = new TestClient(client.baseUrl, apiKey);
    await client.balance();
    await db.tx(async (tx) => {
      await tx.run(sql`SELECT 1 FROM accounts WHERE name = ${account} FOR UPDATE`);
      const blocked = Array.from({ length: 30 }, (_, index) =>
        client.post('/submissions', `blocked-key-${index}`, { urls: urlList(1) }),
      );
      await sleep(300);
      const began = performance.now();
      assert.equal((await elsewhere.post('/submissions', 'other-key-1', { urls: urlList(1) })).status, 202);
      assert.ok(performance.now() - began < 2_000, `${Math.round(performance.now() - began)} ms`);
      for (const answer of await Promise.all(blocked)) isUnavailable(answer);
    });
    assert.equal(await client.balance(), 1000);
    assert.equal((await client.post('/submissions', 'blocked-key-0', { urls: urlList(1) })).status, 202);
  });
});
