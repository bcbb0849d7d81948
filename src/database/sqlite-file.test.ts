import assert from 'node:assert/strict';
import { chmodSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { DatabaseUnavailableError } from './database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('sqlite file', () => {
  test('a new SQLite file is readable by its owner only', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    const db = openDatabase(url);
    await db.run(sql`CREATE TABLE a (b TEXT)`);
    for (const suffix of ['', '-wal', '-shm']) assert.equal(mode(url.slice(7) + suffix), 0o600, suffix);
    await db.close();
  });

  test('an exclusive file is held by one opener, which also takes it away from other users', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    await openDatabase(url).close();
    chmodSync(url.slice(7), 0o644);
    const db = openDatabase(url, { exclusive: true });
    assert.equal(mode(url.slice(7)), 0o600);
    assert.throws(
      () => openDatabase(url, { exclusive: true }),
      (error: Error) => {
        assert.ok(error instanceof DatabaseUnavailableError);
        assert.match(error.message, /used by another courier-service process .* Nothing was changed/);
        return true;
      },
    );
    const administration = openDatabase(url);
    assert.deepEqual({ ...((await administration.get(sql`SELECT 1 AS one`)) as object) }, { one: 1 });
    await administration.close();
    await db.close();
    await openDatabase(url, { exclusive: true }).close();
  });

  test('a writer that waits too long for another process says so', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    const db = openDatabase(url, { busyTimeoutMs: 200 });
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(
      db.run(sql`CREATE TABLE a (b TEXT)`),
      (error: Error) =>
        error instanceof DatabaseUnavailableError &&
        error.message === 'another process has been writing to the SQLite file for 0.2 s',
    );
    other.close();
    await db.run(sql`CREATE TABLE a (b TEXT)`);
    await db.close();
  });
});
