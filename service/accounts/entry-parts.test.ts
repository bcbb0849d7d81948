import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { parseTry } from '../../contract/money.ts';
import { migrate } from '../../src/database/migrate.ts';
import { sql } from '../../src/database/sql.ts';
import { testOnEach } from '../../test/support/database.ts';
import { MIGRATIONS } from '../migrations.ts';
import { insertAccount } from './insert-account.ts';
import { listEntries, readStatement, summarizeEntries } from './statement.ts';

/** More than two parts, of which three and three have the same time. */
const COUNT = 7_000;
const PAGE = 100;
const price = parseTry('1')!;

describe('entries in parts', () => {
  testOnEach('a statement of many entries has each of them once, in order, and the right sums', async (db) => {
    await migrate(db, 'service', MIGRATIONS, 0);
    const { id } = await db.tx((tx) =>
      insertAccount(tx, { name: 'many', prices: { standard: price, fast: price } }, 0),
    );
    await db.run(sql`
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${COUNT})
      INSERT INTO entries (id, account_id, kind, amount, balance_after, subject, created_at)
      SELECT i, ${id}, CASE WHEN i % 2 = 0 THEN 'top_up' ELSE 'refund' END, i, 0, '', 100 + i / 3 FROM n`);
    const range = { from: 100 + 500, to: 100 + 2_200 };
    const expected = Array.from({ length: COUNT }, (_, index) => index + 1).filter(
      (each) => each >= 1_500 && each < 6_600,
    );
    const sum = (ids: readonly number[]) => ids.reduce((total, each) => total + each, 0);

    const { entries, opening, closing, totals, count } = await readStatement(db, id, range);
    assert.deepEqual(
      entries.map((entry) => entry.id),
      expected,
    );
    assert.equal(count, expected.length);
    assert.equal(opening, sum(Array.from({ length: 1_499 }, (_, index) => index + 1)));
    assert.equal(closing, opening + sum(expected));
    assert.deepEqual(totals, {
      refund: sum(expected.filter((each) => each % 2 === 1)),
      top_up: sum(expected.filter((each) => each % 2 === 0)),
    });
    for (const offset of [0, 1_950, 2_000, 4_050, expected.length - 10, expected.length]) {
      const page = await listEntries(db, id, range, { limit: PAGE, offset });
      assert.deepEqual(
        page.map((entry) => entry.id),
        expected.toReversed().slice(offset, offset + PAGE),
      );
    }
    assert.equal((await summarizeEntries(db, id, { from: 5_000, to: 6_000 })).count, 0);
  });
});
