import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { type Database, DatabaseUnavailableError } from './database.ts';
import { openDatabase } from './open.ts';
import { raw, sql } from './sql.ts';

const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };
const DEADLOCK = '40P01';
const SERIALIZATION = '40001';

/** A database with `SELECT conflict()`, which fails with this code so many times and then succeeds. */
async function openConflicting(t: TestContext, code: string, times: number, more = ''): Promise<Database> {
  const url = emptyDatabaseUrl(t, 'postgres');
  const schema = new URL(url).searchParams.get('schema');
  const db = openDatabase(`${url}${more}`);
  t.after(() => db.close());
  await db.run(raw(`CREATE SCHEMA IF NOT EXISTS ${schema}`));
  // A sequence keeps its count when a transaction is rolled back.
  await db.run(raw('CREATE SEQUENCE runs'));
  await db.run(
    raw(`CREATE FUNCTION conflict() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('runs') <= ${times} THEN RAISE EXCEPTION 'conflict' USING ERRCODE = '${code}'; END IF; RETURN 1; END $$`),
  );
  return db;
}

const conflict = sql<{ one: number }>`SELECT conflict() AS one`;
const countRuns = async (db: Database) =>
  (await db.one(sql<{ runs: number }>`SELECT last_value AS runs FROM runs`)).runs;

describe('conflicts on Postgres', live, () => {
  for (const code of [DEADLOCK, SERIALIZATION]) {
    for (const [what, ask] of [
      ['a transaction', (db: Database) => db.tx((tx) => tx.one(conflict))],
      ['a statement', (db: Database) => db.one(conflict)],
    ] as const) {
      for (const more of ['', '&pooler=transaction']) {
        test(`${what} that ends with ${code} runs again${more === '' ? '' : ' behind a pooler'}`, async (t) => {
          const db = await openConflicting(t, code, 3, more);
          assert.deepEqual(await ask(db), { one: 1 });
          assert.equal(await countRuns(db), 4);
        });
      }

      test(`${what} that ends with ${code} every time is unavailable, not a defect`, async (t) => {
        const db = await openConflicting(t, code, 1_000);
        await assert.rejects(ask(db), DatabaseUnavailableError);
        assert.equal(await countRuns(db), 5);
      });
    }
  }
});
