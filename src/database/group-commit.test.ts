import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { injectSqliteFaults, type SqliteFault } from '../../test/support/sqlite-faults.ts';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const faults = injectSqliteFaults();

describe('a group of transactions', () => {
  // A member that has not begun joins the next group. BEGIN, then SAVEPOINT, INSERT and RELEASE of each of three, then COMMIT.
  for (const [fault, step, kept] of [
    ['full', 6, ['first', 'third']],
    ['full-rollback', 6, ['third']],
    ['full-rollback', 7, ['third']],
    ['full', 11, []],
  ] as [SqliteFault, number, string[]][]) {
    test(`${fault} at statement ${step} loses ${3 - kept.length} of three, and says that nothing happened`, async (t) => {
      const db = openDatabase(emptyDatabaseUrl(t, 'sqlite'), { groupCommit: true });
      t.after(() => db.close());
      await db.run(sql`CREATE TABLE names (name TEXT NOT NULL)`);
      faults.arm(step, fault);
      const names = ['first', 'second', 'third'];
      const outcomes = await Promise.allSettled(
        names.map((name) => db.tx((tx) => tx.run(sql`INSERT INTO names (name) VALUES (${name})`))),
      );
      assert.ok(faults.disarm() >= step, 'it was met');
      const done = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      assert.deepEqual(done, kept);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        assert.ok(outcome.reason instanceof DatabaseUnavailableError, String(outcome.reason));
        assert.ok(!(outcome.reason instanceof OutcomeUnknownError));
      }
      await db.tx((tx) => tx.run(sql`INSERT INTO names (name) VALUES ('later')`));
      const stored = await db.all(sql<{ name: string }>`SELECT name FROM names ORDER BY rowid`);
      assert.deepEqual(
        stored.map(({ name }) => name),
        [...kept, 'later'],
      );
    });
  }
});
