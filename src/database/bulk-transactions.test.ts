import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { openDatabase } from './open.ts';
import { raw, sql } from './sql.ts';

const postgres = process.env.COURIER_TEST_POSTGRES;
const live = postgres === undefined ? { skip: 'COURIER_TEST_POSTGRES names no Postgres' } : {};

describe('transactions that write thousands of rows', () => {
  test('leave connections to Postgres to all others, however many there are', live, async (t) => {
    const url = new URL(postgres!);
    url.searchParams.set('pool', '4');
    const db = openDatabase(url.href);
    t.after(() => db.close());
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const large = Array.from({ length: 12 }, () =>
      db.tx(
        async (tx) => {
          begun += 1;
          await tx.all(sql`SELECT 1`);
          await gate.promise;
        },
        { bulk: true },
      ),
    );
    await Promise.all([db.tx((tx) => tx.all(sql`SELECT 1`)), db.all(sql`SELECT 1`), db.all(sql`SELECT 1`)]);
    // Its connection may be opened last.
    while (begun === 0) await setImmediate();
    assert.equal(begun, 1, 'a quarter of the connections');
    gate.resolve();
    await Promise.all(large);
    assert.equal(begun, 12);
  });

  test('let what came later go before the next of them on SQLite', async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'sqlite'));
    t.after(() => db.close());
    await db.run(raw('CREATE TABLE steps (name TEXT)'));
    const large = ['first', 'second', 'third'].map((name) =>
      db.tx((tx) => tx.run(sql`INSERT INTO steps VALUES (${name})`), { bulk: true }),
    );
    await Promise.all([...large, db.tx((tx) => tx.run(sql`INSERT INTO steps VALUES ('sent')`))]);
    const steps = await db.all(sql<{ name: string }>`SELECT name FROM steps ORDER BY rowid`);
    assert.deepEqual(
      steps.map(({ name }) => name),
      ['first', 'sent', 'second', 'third'],
    );
  });
});
