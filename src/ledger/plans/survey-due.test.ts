import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { crawled, DAY, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { recordStatements } from '../../../test/support/record-statements.ts';
import { type Query, sql } from '../../database/sql.ts';
import { findWatch } from '../accounts/watches.ts';
import { type DueRow, eachDuePage } from '../pages/due.ts';
import { createDecide, surveyDue } from './survey-due.ts';

const PAGES = Array.from({ length: 16_000 }, (_, n) => `p/${String(n).padStart(6, '0')}`);

/** Makes some of the URLs, by their number, other than new. */
const CHANGES: readonly Query[] = [
  sql`UPDATE urls SET due_at = ${Date.UTC(2027, 0, 1)} WHERE id % 1000 = 3`,
  sql`UPDATE urls SET gone_run = 1 WHERE id % 1000 = 4`,
  sql`UPDATE urls SET state = 'submitted' WHERE id % 1000 = 5`,
  sql`UPDATE urls SET due = 'changed', generation = 1, version = 12, bought_version = 12 WHERE id % 1000 = 6`,
  sql`UPDATE urls SET due = 'retry', due_at = 5 WHERE id % 1000 = 7`,
  sql`UPDATE urls SET due = 'released', state = 'held', guard_passed = 1, first_run = 77 WHERE id % 1000 = 8`,
];

describe('survey due', () => {
  testLedger('counts what the rules say of each URL, whether a page is read or only counted', async (ledger) => {
    await crawled(ledger, 'r1', { a: PAGES });
    const watchId = (await findWatch(ledger.db, WATCH.id)) ?? 0;
    for (const change of [sql`SELECT 1`, ...CHANGES]) {
      // The first 6,000 stay plain: pages with other URLs follow pages without.
      if (change.strings[0]?.startsWith('UPDATE')) await ledger.db.run(sql`${change} AND url > ${shopUrl('p/006000')}`);
      for (const policy of [WATCH, null]) {
        const { counts, total, byFirstRun, unguarded, sample } = await surveyDue(
          ledger.db,
          watchId,
          policy,
          ledger.now(),
        );
        const decide = await createDecide(ledger.db, watchId, policy, ledger.now());
        const due: DueRow[] = [];
        for await (const page of eachDuePage(ledger.db, watchId)) {
          due.push(...(await decide(page)).filter(({ decision }) => decision.kind === 'due').map(({ row }) => row));
        }
        const count = (test: (row: (typeof due)[number]) => boolean) => due.filter(test).length;
        assert.equal(total, due.length);
        for (const reason of ['new', 'changed', 'retry', 'released'] as const) {
          assert.equal(
            counts[reason],
            count((row) => row.due === reason),
          );
          assert.equal(
            unguarded[reason],
            count((row) => row.due === reason && row.guard_passed === 0),
          );
        }
        for (const [run, urls] of byFirstRun)
          assert.equal(
            urls,
            count((row) => row.first_run === run),
          );
        assert.deepEqual(
          sample,
          due.slice(0, 5).map(({ url }) => url),
        );
      }
    }
  });

  testLedger('reads the rows of one page for its sample, and no others while all are new', async (ledger) => {
    await crawled(ledger, 'r1', { a: PAGES });
    const { db, statements } = recordStatements(ledger.db);
    const watchId = (await findWatch(ledger.db, WATCH.id)) ?? 0;
    assert.equal((await surveyDue(db, watchId, WATCH, ledger.now() + DAY)).total, PAGES.length);
    assert.equal(statements.filter(({ text }) => text.startsWith('SELECT id, url, first_run')).length, 1);
  });
});
