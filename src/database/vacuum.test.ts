import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openDatabase } from './open.ts';
import { raw, sql } from './sql.ts';
import { vacuumSqlite } from './vacuum.ts';

/** A file of which most is free, open in this process as by a worker. */
async function openFile(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-vacuum-'));
  const file = join(folder, 'ledger.db');
  const db = openDatabase(`sqlite:${file}`);
  t.after(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await db.run(raw('CREATE TABLE entries (text TEXT NOT NULL)'));
  await db.tx(async (tx) => {
    for (let n = 0; n < 2_000; n++) await tx.run(sql`INSERT INTO entries VALUES (${'x'.repeat(500)})`);
  });
  await db.run(raw('DELETE FROM entries WHERE rowid > 10'));
  await db.get(raw('PRAGMA wal_checkpoint(TRUNCATE)'));
  return { db, file };
}

describe('compacting a SQLite file', () => {
  test('makes it smaller, and its readers and writers go on', async (t) => {
    const { db, file } = await openFile(t);
    const { bytesBefore, bytesAfter } = vacuumSqlite(file);
    assert.ok(bytesBefore > 1_000_000 && bytesAfter < 50_000, `${bytesBefore} -> ${bytesAfter}`);
    await db.run(sql`INSERT INTO entries VALUES ('y')`);
    assert.equal((await db.one(sql<{ entries: number }>`SELECT count(*) AS entries FROM entries`)).entries, 11);
  });

  test('is refused where the disk has too little room, and nothing changes', async (t) => {
    const { file } = await openFile(t);
    assert.throws(
      () => vacuumSqlite(file, { freeBytes: 1_000_000 }),
      /3 MB of free disk space are needed, and 1 MB are/,
    );
  });
});
