import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { recordStatements } from '../../../test/support/record-statements.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';

const site = { a: ['1', '2', '3'], b: ['4'] } as const;

describe('statements of a run', () => {
  testLedger('a sitemap locks its watch last, so that others are written beside it', async (ledger) => {
    const { db, statements } = recordStatements(ledger.db);
    await crawled({ ...ledger, db }, 'r1', site);
    const locks = statements.flatMap(({ text }, at) => (text.startsWith('UPDATE watches SET live') ? [at] : []));
    assert.equal(locks.length, 2);
    for (const at of locks) {
      const { transaction } = statements[at]!;
      assert.notEqual(transaction, null);
      assert.notEqual(
        statements[at + 1]?.transaction,
        transaction,
        `another statement follows ${statements[at]?.text}`,
      );
    }
  });

  testLedger('a plan reads what is due once where no cap limits it, and twice where one does', async (ledger) => {
    const countPages = async (run: string, maxCost: number | null): Promise<number> => {
      await crawled(ledger, run, { ...site, [run]: [run] });
      const { db, statements } = recordStatements(ledger.db);
      const input = { account: ACCOUNT, watch: WATCH, maxCost: maxCost as never };
      const plan = await planRun({ ...ledger, db }, run as RunId, input);
      assert.equal(plan.due.new, maxCost === null ? 5 : 1);
      await ledger.db.run({ strings: ['UPDATE runs SET ended_at = 1'], parts: [] });
      return statements.filter(({ text }) => text.startsWith('SELECT id, url, first_run')).length;
    };
    assert.equal(await countPages('r1', null), 1);
    assert.equal(await countPages('r2', 0), 2);
  });
});
