import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { raw, sql } from './sql.ts';

const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };
const CONNECTIONS = 8;

describe('a worker that runs while a newer program adds a column', live, () => {
  test('reads the table on, in and outside of transactions, on each connection that knows it', async (t) => {
    const url = `${emptyDatabaseUrl(t, 'postgres')}&pool=${CONNECTIONS}`;
    const [worker, upgraded] = [openDatabase(url), openDatabase(url)];
    t.after(() => Promise.all([worker.close(), upgraded.close()]));
    await migrate(worker, 'test', [{ name: 'things', statements: () => ['CREATE TABLE things (name TEXT)'] }], 0);
    await worker.run(sql`INSERT INTO things (name) VALUES ('one')`);
    const selectAll = sql<{ name: string }>`SELECT * FROM things`;
    const readAll = (transaction: boolean) =>
      Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          transaction
            ? worker.tx(async (tx) => {
                await tx.run(sql`UPDATE things SET name = 'one'`);
                return tx.all(selectAll);
              })
            : worker.all(selectAll),
        ),
      );
    for (const transaction of [false, true]) {
      await readAll(transaction);
      await upgraded.run(raw(`ALTER TABLE things ADD COLUMN ${transaction ? 'color' : 'size'} TEXT`));
      for (const rows of await readAll(transaction))
        assert.deepEqual(
          rows.map(({ name }) => name),
          ['one'],
        );
    }
  });
});
