import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testOnEach } from '../../test/support/database.ts';
import { type Migration, migrate } from './migrate.ts';
import { dialectal, sql } from './sql.ts';

const THINGS: Migration = { name: 'things', statements: () => ['CREATE TABLE things (name TEXT)'] };

describe('an index as a step of a migration', () => {
  testOnEach('of a small table is created with the other steps', async (db) => {
    await migrate(
      db,
      'test',
      [THINGS, { name: 'names', index: () => ({ name: 'by_name', table: 'things', columns: 'name' }) }],
      0,
    );
    const { indexes } = await db.one(
      sql<{ indexes: number }>`SELECT count(*) AS indexes FROM ${dialectal(
        sql`sqlite_master WHERE name = 'by_name'`,
        sql`pg_indexes WHERE schemaname = current_schema() AND indexname = 'by_name'`,
      )}`,
    );
    assert.equal(indexes, 1);
  });

  testOnEach('that a database does not need is recorded as done', async (db) => {
    const steps = [THINGS, { name: 'names', index: () => null }];
    await migrate(db, 'test', steps, 0);
    await migrate(db, 'test', steps, 0);
    const { version } = await db.one(sql<{ version: number }>`SELECT max(version) AS version FROM schema_migrations`);
    assert.equal(version, 2);
  });
});
