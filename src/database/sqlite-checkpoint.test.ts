import assert from 'node:assert/strict';
import { copyFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const MIB = 1024 * 1024;
const LOG = MIB;

async function openFile(t: TestContext, groupCommit: boolean, { logBytes = LOG, idleMs = 60_000 } = {}) {
  const url = emptyDatabaseUrl(t, 'sqlite');
  const path = url.slice('sqlite:'.length);
  const db = openDatabase(url, { groupCommit, logBytes, idleMs });
  t.after(() => db.close());
  await db.run(sql`CREATE TABLE a (id INTEGER PRIMARY KEY, b BLOB)`);
  const write = (id: number, bytes: number) =>
    db.tx((tx) => tx.run(sql`INSERT OR REPLACE INTO a (id, b) VALUES (${id}, zeroblob(${bytes}))`));
  return { path, write, getFileSize: () => statSync(path).size, getLogSize: () => statSync(`${path}-wal`).size };
}

const isEqual = (row: unknown, n: number, longest: number): boolean =>
  isDeepStrictEqual({ ...(row as object) }, { n, longest });

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

    for (const [what, bytes] of [
      ['a small one', 1],
      ['a large one', 8 * MIB],
    ] as const)
      test(`is copied once nothing is written any more: ${what}, so that the file alone is whole`, async (t) => {
        const { path, write, getFileSize } = await openFile(t, groupCommit, { logBytes: 16 * MIB, idleMs: 50 });
        await write(1, bytes);
        await write(2, 1);
        const before = getFileSize();
        while (getFileSize() === before) await sleep(5);
        const readAlone = () => {
          copyFileSync(path, `${path}.copy`);
          const copy = new DatabaseSync(`${path}.copy`);
          try {
            return copy.prepare('SELECT count(*) AS n, max(length(b)) AS longest FROM a').get();
          } catch {
            // Taken while the log was copied.
            return null;
          } finally {
            copy.close();
          }
        };
        while (!isEqual(readAlone(), 2, bytes)) await sleep(5);
      });
  });
}
