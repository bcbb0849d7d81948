import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl } from '../../test/support/database.ts';
import { injectSqliteFaults, type SqliteFault } from '../../test/support/sqlite-faults.ts';
import { DatabaseUnavailableError, OutcomeUnknownError } from './database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

const faults = injectSqliteFaults();

describe('a group of transactions of which one fails', () => {
  // BEGIN, then SAVEPOINT, INSERT and RELEASE of each of three. A slow machine makes two groups of them.
  for (const [fault, step] of [
    ['full', 6],
    ['full-rollback', 3],
    ['full-rollback', 6],
    ['full-rollback', 7],
    ['ioerr-after', 7],
  ] as [SqliteFault, number][]) {
    test(`${fault} at statement ${step}: who is told that it failed has stored nothing, the others have`, async (t) => {
      const db = openDatabase(emptyDatabaseUrl(t, 'sqlite'), { groupCommit: true });
      t.after(() => db.close());
      await db.run(sql`CREATE TABLE names (name TEXT NOT NULL)`);
      faults.arm(step, fault);
      const names = ['first', 'second', 'third'];
      const outcomes = await Promise.allSettled(
        names.map((name) => db.tx((tx) => tx.run(sql`INSERT INTO names (name) VALUES (${name})`))),
      );
      assert.ok(faults.disarm() >= step, 'it was met');
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as Error] : []));
      assert.ok(reasons.length > 0);
      for (const reason of reasons) {
        assert.ok(reason instanceof DatabaseUnavailableError, String(reason));
        assert.ok(!(reason instanceof OutcomeUnknownError));
      }
      await db.tx((tx) => tx.run(sql`INSERT INTO names (name) VALUES ('later')`));
      const stored = await db.all(sql<{ name: string }>`SELECT name FROM names ORDER BY rowid`);
      const succeeded = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      assert.deepEqual(
        stored.map(({ name }) => name),
        [...succeeded, 'later'],
      );
    });
  }
});
