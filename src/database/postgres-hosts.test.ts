import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { openProxy } from '../../test/support/database-proxy.ts';
import { openService, urlList } from '../../test/support/service.ts';
import { DatabaseUnavailableError, DatabaseUrlError } from './database.ts';
import { openDatabase } from './open.ts';
import { splitHosts } from './postgres-hosts.ts';
import { sql } from './sql.ts';

const onPostgres = {
  skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
};

describe('the hosts of a Postgres URL', () => {
  for (const [url, hosts] of [
    ['postgres://u:p@a:1/db?schema=s', ['postgres://u:p@a:1/db?schema=s']],
    ['postgres://u:p@a:1,b/db?pool=2', ['postgres://u:p@a:1/db?pool=2', 'postgres://u:p@b/db?pool=2']],
    ['postgresql://[::1]:1,[::2]:2/db', ['postgresql://[::1]:1/db', 'postgresql://[::2]:2/db']],
  ] as const) {
    test(url, () =>
      assert.deepEqual(
        splitHosts(url).map(({ href }) => href),
        hosts,
      ),
    );
  }

  test('that cannot be parsed is an error that shows how to write it', () => {
    for (const url of ['postgres://a:1,b:x/db', 'postgres://a:b:c/db']) {
      assert.throws(
        () => splitHosts(url),
        (error) => error instanceof DatabaseUrlError && /HOST:PORT,HOST:PORT/.test(error.message),
      );
    }
  });
});

/** Two addresses of the same database. */
async function openHosts(t: TestContext) {
  const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
  const hosts = [await openProxy(direct), await openProxy(direct)];
  const [first, second] = hosts.map(({ port }) => `127.0.0.1:${port}`);
  return { url: direct.href.replace(direct.host, `${first},${second}`), hosts };
}

describe('failover to another host of the URL', () => {
  test('the service continues on the second host when the first dies, and returns when the second does', {
    ...onPostgres,
  }, async (t) => {
    const { url, hosts } = await openHosts(t);
    const { client } = await openService(t, 'postgres', { database: url });
    t.after(() => Promise.all(hosts.map((host) => host.cut())));
    let key = 0;
    const submit = () => client.post('/submissions', `failover-key-${key}`, { urls: urlList(1) });
    async function submitUntilAccepted(): Promise<void> {
      key++;
      const began = performance.now();
      for (let answer = await submit(); answer.status > 202; answer = await submit()) {
        assert.equal(answer.status, 503, answer.body.message);
        assert.ok(performance.now() - began < 10_000);
      }
    }
    await submitUntilAccepted();
    for (const [dead, alive] of [
      [0, 1],
      [1, 0],
      [0, 1],
    ] as const) {
      await hosts[alive]?.restore().catch(() => undefined);
      await hosts[dead]?.cut();
      await submitUntilAccepted();
    }
    assert.equal(await client.balance(), 1000 - 4 * 0.25, 'each key was charged once');
  });

  test('no host that answers is an unavailable database, and one that returns is used again', onPostgres, async (t) => {
    const { url, hosts } = await openHosts(t);
    const db = openDatabase(url);
    t.after(async () => {
      await Promise.all(hosts.map((host) => host.cut()));
      await db.close();
    });
    const ask = () => db.get(sql`SELECT 1 AS one`);
    await ask();
    for (const host of hosts) await host.cut();
    for (let attempt = 0; attempt < 3; attempt++) await assert.rejects(ask(), DatabaseUnavailableError);
    await hosts[1]?.restore();
    assert.deepEqual({ ...((await ask()) as object) }, { one: 1 });
  });
});
