import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { testOnEach } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';
import { insertRows, type Row, toRows } from './rows.ts';
import { sql } from './sql.ts';

const tables = [{ name: 'things', statements: () => ['CREATE TABLE things (key BIGINT PRIMARY KEY, name TEXT)'] }];
const columns = { key: 'bigint', name: 'text' } as const;

describe('rows', () => {
  testOnEach('rows go in together, whatever is in them', async (db) => {
    await migrate(db, 'test', tables, 0);
    const rows: Row[] = [
      [1n, "Ürün'); DROP TABLE things; --"],
      [2 ** 53 - 1, null],
      [-(2n ** 63n), '"\\\u2028'],
    ];
    assert.equal(await insertRows(db, 'things', columns, rows), 3);
    assert.equal(await insertRows(db, 'things', columns, [...rows, [4, 'd']], 'ON CONFLICT DO NOTHING'), 1);
    const names = await db.all(sql<{ name: string | null }>`SELECT name FROM things ORDER BY key`);
    assert.deepEqual(
      names.map(({ name }) => name),
      ['"\\\u2028', "Ürün'); DROP TABLE things; --", 'd', null],
    );
  });

  testOnEach('a list of rows is a table with their numbers', async (db) => {
    await migrate(db, 'test', tables, 0);
    await insertRows(db, 'things', columns, [
      [2n ** 62n, 'b'],
      [1, 'a'],
    ]);
    const asked: Row[] = [
      [1, 'x'],
      [7, 'y'],
      [2n ** 62n, null],
    ];
    const found = await db.all(sql<{ nr: number; name: string; asked: string | null }>`
    SELECT r.nr, t.name, r.asked FROM ${toRows({ key: 'bigint', asked: 'text' }, asked)} AS r
    JOIN things AS t ON t.key = r.key ORDER BY r.nr`);
    assert.deepEqual(
      found.map(({ nr, name, asked }) => [nr, name, asked]),
      [
        [0, 'a', 'x'],
        [2, 'b', null],
      ],
    );
  });

  testOnEach('a value that is the same in all rows is written to each of them', async (db) => {
    await migrate(db, 'test', tables, 0);
    const same = { columns: { name: 'text' }, row: ['"same"'] } as const;
    assert.equal(await insertRows(db, 'things', { key: 'bigint' }, [[-1], [2]], '', same), 2);
    assert.deepEqual(
      (await db.all(sql<{ key: number; name: string }>`SELECT key, name FROM things ORDER BY key`)).map(
        ({ key, name }) => [key, name],
      ),
      [
        [-1, '"same"'],
        [2, '"same"'],
      ],
    );
  });

  testOnEach('numbers, empty texts and empty lists arrive as they are', async (db) => {
    const values: Row[] = [
      [0, ''],
      [-(2 ** 53) + 1, 'Ağ 🌍'],
      [2 ** 32, null],
      [-1, '{,NULL}'],
    ];
    const rows = await db.all(sql<{ key: number; name: string | null }>`
      SELECT r.key, r.name FROM ${toRows(columns, values)} AS r ORDER BY r.nr`);
    assert.deepEqual(
      rows.map(({ key, name }) => [key, name]),
      values,
    );
    assert.deepEqual(await db.all(sql`SELECT r.key FROM ${toRows(columns, [])} AS r`), []);
  });

  testOnEach('no rows are no statement', async (db) => {
    assert.equal(await insertRows(db, 'nowhere', columns, []), 0);
  });
});
