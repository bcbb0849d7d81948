import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
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
      // The server reads its settings again in its own time; connections made after it has are sure to have them.
      while ((await isReadOnly(server)) !== on) await sleep(20);
    };
    const isReadOnly = async (server: URL | undefined) => {
      const db = openDatabase(String(server));
      const { value } = await db.one(sql<{ value: string }>`
        SELECT current_setting('default_transaction_read_only') AS value`);
      await db.close();
      return value === 'on';
    };
    await setReadOnly(first, true);
    const db = openDatabase(String(first).replace(String(first?.host), `${first?.host},${second?.host}`));
    t.after(() => db.close());
    /** The port of the server that took a write; null when none did. */
    const insert = () =>
      db
        .tx(async (tx) => {
          await tx.run(sql`INSERT INTO names (name) VALUES ('x')`);
          return String((await tx.one(sql<{ port: number }>`SELECT inet_server_port() AS port`)).port);
        })
        .catch(() => null);
    const until = async (isDone: (port: string | null) => boolean) => {
      const end = Date.now() + 20_000;
      for (;;) {
        const port = await insert();
        if (isDone(port)) return port;
        assert.ok(Date.now() < end, `the last write: ${port}`);
      }
    };
    assert.equal(await until((port) => port !== null), second?.port);

    await setReadOnly(first, false);
    await setReadOnly(second, true);
    // A connection of the pool learns it a moment later.
    await until((port) => port === first?.port);
    for (let n = 0; n < 20; n++) assert.equal(await insert(), first?.port, 'connections to the second are given up');
  });
});
