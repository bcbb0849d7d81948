import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../src/database/sql.ts';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../test/support/database.ts';
import { openProxy } from '../test/support/database-proxy.ts';
import { openSearchApi } from '../test/support/search-api.ts';
import { lira, openService, TestClient, urlList } from '../test/support/service.ts';
import { startService } from './serve.ts';

const STOP_MS = 1_500;
const onPostgres = {
  skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
};

describe('stopping the service', () => {
  test('a stop takes stop_ms at most; the next start restores the charge of an index-check that it interrupted', async (t) => {
    const brave = await openSearchApi(t, async () => sleep(20_000, true));
    const bench = await openService(t, 'sqlite', {
      settings: { stopMs: STOP_MS, indexCheck: { provider: 'brave', brave } },
    });
    const { service, client, db, url } = bench;
    const { hostname, port } = new URL(client.baseUrl);
    const slow = connect(Number(port), hostname);
    slow.on('error', () => undefined);
    await once(slow, 'connect');
    slow.write('POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    const cut = client.post('/index-check', 'stopped-key', { urls: urlList(2) }).then(
      ({ status }) => status,
      () => 'no answer',
    );
    const getBalance = async () => (await db.one(sql<{ balance: number }>`SELECT balance FROM accounts`)).balance;
    while ((await getBalance()) === 1_000_000_000) await sleep(20);

    const began = performance.now();
    await service.close();
    const took = performance.now() - began;
    assert.ok(took < STOP_MS + 2_000, `${Math.round(took)} ms`);
    assert.equal(await cut, 'no answer', 'it is not said that nothing was charged');
    assert.equal(await getBalance(), 999_000_000, 'the charge stands');

    const next = await startService({ database: url, now: () => Date.now() + 120_000 });
    t.after(() => next.close());
    while ((await getBalance()) !== 1_000_000_000) await sleep(20);
  });

  test(
    'with a Postgres that answers nothing, requests and readiness are 503, and a stop ends',
    onPostgres,
    async (t) => {
      const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
      const proxy = await openProxy(direct);
      t.after(() => proxy.cut());
      const database = Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href;
      const settings = { stopMs: STOP_MS, postgres: { statementMs: 500, lockMs: 300, idleMs: 1_000 } };
      const service = await startService({ database, settings });
      t.after(() => service.close().catch(() => undefined));
      const { id } = await service.accounts.createAccount({ name: 'silent', balance: lira('1'), price: lira('0.01') });
      const client = new TestClient(service.baseUrl, (await service.accounts.createKey({ account: id })).apiKey);
      await client.balance();
      proxy.judge(() => 'swallow');
      const began = performance.now();
      const [answer, ready] = await Promise.all([
        client.post('/submissions', 'silent-key', { urls: urlList(1) }),
        fetch(new URL('/readyz', client.baseUrl)),
      ]);
      assert.deepEqual([answer.status, answer.body.error?.code, ready.status], [503, 'service_unavailable', 503]);
      assert.ok(performance.now() - began < 6_000, `${Math.round(performance.now() - began)} ms`);
      const stopping = performance.now();
      await service.close().catch(() => undefined);
      assert.ok(performance.now() - stopping < 10_000, `${Math.round(performance.now() - stopping)} ms`);
      await assert.rejects(fetch(client.baseUrl), 'nobody listens any more');
    },
  );

  test('a service that listens beyond this machine on plain HTTP says so', async (t) => {
    const listen = async (host: string, https: boolean) => {
      const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), host, settings: { https } });
      await service.close();
      return service.notices.join();
    };
    assert.match(await listen('0.0.0.0', false), /listens at 0\.0\.0\.0 on plain HTTP/);
    assert.doesNotMatch(await listen('0.0.0.0', true), /plain HTTP/);
    assert.doesNotMatch(await listen('127.0.0.1', false), /plain HTTP/);
  });
});
