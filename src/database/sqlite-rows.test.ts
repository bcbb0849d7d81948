import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { readRows } from './sqlite-rows.ts';

function read(text: string, ...values: (string | number | null)[]): object[] {
  const statement = new DatabaseSync(':memory:').prepare(text);
  const toRow = readRows(statement, text);
  return statement.all(...values).map(toRow);
}

describe('readRows', () => {
  test('gives plain objects, as Postgres does, with the names of the columns', () => {
    const [row] = read(`SELECT 1 AS id, 'a' AS "acceptedAt", NULL AS gone, x'01' AS bytes`);
    assert.deepEqual(row, { id: 1, acceptedAt: 'a', gone: null, bytes: new Uint8Array([1]) });
    assert.equal(Object.getPrototypeOf(row), Object.prototype);
  });

  test('two queries with the same names and other values share nothing but the function', () => {
    assert.deepEqual(read('SELECT ? AS a, ? AS b', 1, 2), [{ a: 1, b: 2 }]);
    assert.deepEqual(read('SELECT ? AS a, ? AS b UNION ALL SELECT 5, 6', 3, 4), [
      { a: 3, b: 4 },
      { a: 5, b: 6 },
    ]);
    assert.deepEqual(read('SELECT ? AS b, ? AS a', 1, 2), [{ b: 1, a: 2 }]);
  });

  test('a name that comes twice has the later value, and any name is possible', () => {
    assert.deepEqual(read('SELECT 1 AS a, 2 AS a'), [{ a: 2 }]);
    assert.deepEqual(read(`SELECT 1 AS "a'b", 2 AS "count(*)", 3 AS "\\"`), [{ "a'b": 1, 'count(*)': 2, '\\': 3 }]);
  });

  test('a statement without rows has no columns', () => {
    assert.deepEqual(read('SELECT 1 AS a WHERE false'), []);
  });

  test('a column that goes while the statement is kept moves no value to another name', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE t (a, gone, b); INSERT INTO t VALUES (1, 2, 3)');
    for (const text of ['SELECT * FROM t', 'SELECT t.* FROM t', 'SELECT a, b, count(*) AS n FROM t']) {
      db.exec('DROP TABLE t; CREATE TABLE t (a, gone, b); INSERT INTO t VALUES (1, 2, 3)');
      const statement = db.prepare(text);
      const toRow = readRows(statement, text);
      statement.get();
      db.exec('ALTER TABLE t DROP COLUMN gone');
      const { a, b } = toRow(statement.get() as object) as { a: number; b: number };
      assert.deepEqual({ a, b }, { a: 1, b: 3 }, text);
    }
  });
});
