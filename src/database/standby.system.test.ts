import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPostgresPrograms, startPostgres } from '../../test/support/postgres-server.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const programs = findPostgresPrograms();

describe('a host of a Postgres URL that only reads', () => {
  test('is not used, at the start and after a failover', {
    skip: programs === null && 'Postgres is not installed',
  }, async (t) => {
    const servers = await Promise.all([startPostgres(programs ?? ''), startPostgres(programs ?? '')]);
    for (const { url, stop } of servers) {
      t.after(stop);
      const db = openDatabase(url);
      await db.run(sql`CREATE TABLE names (name TEXT)`);
      await db.close();
    }
    const [first, second] = servers.map(({ url }) => new URL(url));
    const setReadOnly = async (server: URL | undefined, on: boolean) => {
      const db = openDatabase(String(server));
      await db.run(on ? sql`ALTER SYSTEM SET default_transaction_read_only = on` : sql`ALTER SYSTEM RESET ALL`);
      await db.get(sql`SELECT pg_reload_conf()`);
      await db.close();
    };
    await setReadOnly(first, true);
    const db = openDatabase(String(first).replace(String(first?.host), `${first?.host},${second?.host}`));
    t.after(() => db.close());
    const insert = () => db.tx((tx) => tx.run(sql`INSERT INTO names (name) VALUES ('x')`));
    const getPort = async () => (await db.one(sql<{ port: number }>`SELECT inet_server_port() AS port`)).port;
    while ((await insert().catch(() => null)) === null);
    assert.equal(await getPort(), Number(second?.port));

    await setReadOnly(first, false);
    await setReadOnly(second, true);
    const end = Date.now() + 10_000;
    while ((await insert().catch(() => null)) === null) assert.ok(Date.now() < end);
    assert.equal(await getPort(), Number(first?.port), 'connections to the second are given up');
  });
});
