import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { raw, sql } from '../src/database/sql.ts';
import { startFakeService } from '../test/fakes/service/fake-service.ts';
import { LISTS_NOTHING, PLAIN } from '../test/fakes/service/profile.ts';
import { findPostgresPrograms, type PostgresServer, startPostgres } from '../test/support/postgres-server.ts';
import { createTestConnector } from '../test/support/test-connector.ts';

const programs = findPostgresPrograms();
describe('a standby that lacks the last purchase and takes over while the process runs', () => {
  for (const [what, profile] of [
    ['', PLAIN],
    [', also where the list does not show the job yet', LISTS_NOTHING],
  ] as const) {
    test(`buys nothing again${what}`, { skip: programs === null && 'Postgres is not installed' }, async (t) => {
      const primary = await startPostgres(programs ?? '');
      t.after(primary.stop);
      const standby = await startPostgres(programs ?? '', { standbyOf: primary });
      t.after(standby.stop);
      await run(primary, 'ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()');
      const url = new URL(primary.url);
      const database = url.href.replace(url.host, `${url.host},${new URL(standby.url).host}`);
      const { baseUrl, counts } = await startFakeService(t, { profile });
      const connector = await createTestConnector(t, { baseUrl, account: 'price_per_url: 0.25 TRY', database });
      await connector.plan('r1', ['1']);
      assert.equal((await connector.send()).kind, 'sent');
      await untilCopied(primary, standby);

      await standby.crash(null);
      await connector.plan('r2', ['1', '2']);
      assert.equal((await connector.send()).kind, 'sent');
      await primary.crash(null);
      await standby.restart();
      await standby.promote();

      await untilReached(() => connector.plan('r3', ['1', '2', '3']));
      const step = await untilReached(() => connector.send());
      assert.ok(step.kind === 'suspended', JSON.stringify(step));
      assert.match(step.reason, /does not know \(R-2\)/);
      assert.equal(counts.post, 2);
    });
  }
});

async function run({ url }: PostgresServer, ...statements: readonly string[]): Promise<void> {
  const db = openDatabase(url);
  for (const statement of statements) await db.run(raw(statement));
  await db.close();
}

/** Until the standby has all that the primary has committed, its tables among it. */
async function untilCopied(primary: PostgresServer, standby: PostgresServer): Promise<void> {
  const [from, to] = [openDatabase(primary.url), openDatabase(standby.url)];
  const { at } = await from.one(sql<{ at: string }>`SELECT pg_current_wal_lsn()::text AS at`);
  const copied = sql<{ all: boolean }>`SELECT pg_last_wal_replay_lsn() >= ${at}::pg_lsn AS "all"`;
  for (const end = Date.now() + 20_000; !(await to.one(copied)).all; await sleep(20)) {
    assert.ok(Date.now() < end, 'the standby receives the batch');
  }
  await Promise.all([from.close(), to.close()]);
}

/** A connection to the server that is gone breaks at its next use. */
async function untilReached<T>(work: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 30_000; ; await sleep(100)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > end) throw error;
    }
  }
}

/** An activity wraps it. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailableError ||
  (error instanceof Error && (/Postgres cannot be used/.test(error.message) || isUnreachable(error.cause)));
