import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { DatabaseUnavailableError } from './database.ts';
import { type Migration, migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };

const before: Migration[] = [{ name: 'things', statements: () => ['CREATE TABLE things (name TEXT)'] }];
const after: Migration[] = [
  ...before,
  { name: 'colors', statements: () => ['ALTER TABLE things ADD COLUMN color TEXT'] },
];

describe('a migration beside a worker of the older version', live, () => {
  test('does not hold up other statements while a long transaction holds the table', async (t) => {
    const url = emptyDatabaseUrl(t, 'postgres');
    const [worker, upgraded] = [openDatabase(url), openDatabase(url)];
    t.after(() => Promise.all([worker.close(), upgraded.close()]));
    await migrate(worker, 'test', before, 0);
    const planning = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const plan = worker.tx(async (tx) => {
      await tx.run(sql`INSERT INTO things (name) VALUES ('planned')`);
      begun.resolve();
      await planning.promise;
      await tx.run(sql`INSERT INTO things (name) VALUES ('planned too')`);
    });
    await begun.promise;
    await assert.rejects(
      migrate(upgraded, 'test', after, 0, { lockMs: 20, pauseMs: 1, attempts: 3 }),
      (error: Error) => error instanceof DatabaseUnavailableError && /Nothing was changed/.test(error.message),
    );
    const migration = migrate(upgraded, 'test', after, 0, { lockMs: 20, pauseMs: 1, attempts: Infinity });
    // The transaction ends after these: a migration that waited for it in the queue would be waited for by them.
    for (let n = 0; n < 20; n++) await worker.run(sql`INSERT INTO things (name) VALUES ('beside')`);
    planning.resolve();
    await Promise.all([plan, migration]);
    const { urls } = await worker.one(sql<{ urls: number }>`SELECT count(*) AS urls FROM things WHERE color IS NULL`);
    assert.equal(urls, 22);
  });
});
