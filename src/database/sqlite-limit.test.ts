import assert from 'node:assert/strict';
import { constants, DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { keepCompiled } from './sqlite-limit.ts';

const QUERY = 'SELECT id FROM pages WHERE url > ? ORDER BY url LIMIT ? OFFSET ?';

/** How often SQLite compiles the query while it runs three times. */
function countCompilations(query: string): number {
  const db = new DatabaseSync(':memory:');
  db.exec(
    `CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT UNIQUE); INSERT INTO pages VALUES (1, '/a'), (2, '/b')`,
  );
  let compilations = 0;
  db.setAuthorizer((action) => {
    if (action === constants.SQLITE_SELECT) compilations += 1;
    return constants.SQLITE_OK;
  });
  const statement = db.prepare(query);
  for (let n = 0; n < 3; n++) assert.deepEqual({ ...statement.get('', 1, 1) }, { id: 2 });
  db.close();
  return compilations;
}

describe('a query with a limit', () => {
  test('is compiled once, however often it runs', () => {
    assert.equal(countCompilations(keepCompiled(QUERY)), 1);
  });

  test('would be compiled each time with a bare parameter', () => {
    assert.ok(countCompilations(QUERY) > 1, 'SQLite no longer does: `keepCompiled` can go');
  });
});
