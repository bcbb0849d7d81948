import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const MIB = 1024 * 1024;
const LOG = MIB;

async function openFile(t: TestContext, groupCommit: boolean) {
  const url = emptyDatabaseUrl(t, 'sqlite');
  const path = url.slice('sqlite:'.length);
  const db = openDatabase(url, { groupCommit, logBytes: LOG });
  t.after(() => db.close());
  await db.run(sql`CREATE TABLE a (id INTEGER PRIMARY KEY, b BLOB)`);
  const write = (id: number, bytes: number) =>
    db.tx((tx) => tx.run(sql`INSERT OR REPLACE INTO a (id, b) VALUES (${id}, zeroblob(${bytes}))`));
  return { write, getFileSize: () => statSync(path).size, getLogSize: () => statSync(`${path}-wal`).size };
}

for (const groupCommit of [false, true]) {
  describe(`the log of a SQLite file ${groupCommit ? 'with' : 'without'} group commit`, () => {
    test('is copied into the file after a large commit, and is written from its start again', async (t) => {
      const { write, getFileSize, getLogSize } = await openFile(t, groupCommit);
      await write(1, 8 * MIB);
      assert.ok(getFileSize() < MIB, 'the commit itself does not copy');
      while (getFileSize() < 8 * MIB) await sleep(5);
      // Commits follow while the thread copies: the rest is copied between two of them.
      for (let id = 2; getLogSize() > LOG; id += 1) await write(id, LOG / 8);
    });

    test('is bounded: a writer that never rests waits for the copy', async (t) => {
      const { write, getLogSize } = await openFile(t, groupCommit);
      let longest = 0;
      for (let n = 0; n < 300; n += 1) {
        await write(n % 10, LOG / 8 + n);
        longest = Math.max(longest, getLogSize());
      }
      assert.ok(longest > LOG && longest < 6 * LOG, `${longest}`);
    });
  });
}
