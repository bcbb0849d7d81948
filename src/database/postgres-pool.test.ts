import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const postgres = process.env.COURIER_TEST_POSTGRES;
const live = postgres === undefined ? { skip: 'COURIER_TEST_POSTGRES names no Postgres' } : {};

describe('connections to Postgres', () => {
  test('are never more than pool=N, however much is asked at once', live, async (t) => {
    const name = `pool-${process.pid}-${Date.now()}`;
    const url = new URL(postgres ?? '');
    url.searchParams.set('application_name', name);
    const watcher = openDatabase(`${postgres}`);
    t.after(() => watcher.close());
    url.searchParams.set('pool', '3');
    const db = openDatabase(url.href);
    t.after(() => db.close());
    let isDone = false;
    const asked = Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        n % 2 === 0 ? db.all(sql`SELECT pg_sleep(0.01)`) : db.tx((tx) => tx.all(sql`SELECT pg_sleep(0.01)`)),
      ),
    ).finally(() => {
      isDone = true;
    });
    let most = 0;
    while (!isDone) {
      const { used } = await watcher.one(sql<{ used: number }>`
        SELECT count(*) AS used FROM pg_stat_activity WHERE application_name = ${name}`);
      most = Math.max(most, used);
      await sleep(1);
    }
    await asked;
    assert.equal(most, 3);
  });

  test('a statement without a limit takes as long as it takes', live, async (t) => {
    const limits = { statementMs: 0, lockMs: 0, idleMs: 0 };
    const db = openDatabase(`${postgres}`, { postgres: limits });
    t.after(() => db.close());
    assert.equal((await db.all(sql`SELECT pg_sleep(2.5)`)).length, 1);
  });

  for (const [address, reason] of [
    ['postgres://db.example/courier?pool=none', /pool= is not a number/],
    ['postgres://db.example/courier?pooler=session', /write pooler=transaction/],
  ] as const) {
    test(`${address} is refused before anything connects`, () => {
      assert.throws(() => openDatabase(address), reason);
    });
  }
});
