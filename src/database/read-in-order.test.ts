import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { stopAutovacuum } from '../../test/support/postgres-plans.ts';
import { openDatabase } from './open.ts';
import { readInOrder } from './read-in-order.ts';
import { raw, sql } from './sql.ts';

const postgres = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };

describe('read in order', postgres, () => {
  test('a page of a table that Postgres has not counted yet is read by its index, and nothing is sorted', async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'postgres'));
    t.after(() => db.close());
    await db.run(raw(`CREATE SCHEMA ${db.schema}`));
    await db.run(raw('CREATE TABLE pages (id bigint PRIMARY KEY, site bigint, name text, due text)'));
    await stopAutovacuum(db, ['pages']);
    await db.run(raw('CREATE INDEX pages_due ON pages (site, name) WHERE due IS NOT NULL'));
    await db.run(raw("INSERT INTO pages SELECT n, 1, repeat('x', 80) || n, 'new' FROM generate_series(1, 20000) AS n"));
    const plan = sql<{ 'QUERY PLAN': string }>`EXPLAIN
      SELECT name FROM pages WHERE site = ${1} AND due IS NOT NULL AND name > ${''} ORDER BY name LIMIT ${5000}`;
    const toText = (rows: readonly { 'QUERY PLAN': string }[]) => rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(toText(await db.all(plan)), /Sort/, 'without help it sorts: the test shows something');
    for (const text of [
      toText(await readInOrder(db, plan)),
      await db.tx(async (tx) => toText(await readInOrder(tx, plan))),
    ]) {
      assert.match(text, /Index (Only )?Scan using pages_due/);
      assert.doesNotMatch(text, /Sort/);
    }
    const [setting] = await db.tx(async (tx) => {
      await readInOrder(tx, sql`SELECT 1`);
      return tx.all(raw('SHOW enable_bitmapscan'));
    });
    assert.deepEqual(setting, { enable_bitmapscan: 'on' }, 'later statements are planned as before');
  });
});
