import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, crawled, DAY, QUARTER, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { Queryable } from '../../database/database.ts';
import type { RunId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { planRun } from '../plans/make-plan.ts';
import type { AccountPolicy } from '../policy.ts';
import { endRun } from '../runs/runs.ts';
import { buildSpendQuestion } from './spend-question.ts';

const NO_CAP = { perRun: null, perDay: null, perMonth: null };

describe('what was spent', () => {
  testLedger('is read as far back as a cap counts it, and not at all without a cap', async (ledger) => {
    const buy = async (run: string, path: string) => {
      await crawled(ledger, run, { [run]: [path] });
      await planRun(ledger, run as RunId, { watch: WATCH, account: ACCOUNT });
      await sendAll(ledger);
      await endRun(ledger, run as RunId, 'finished');
    };
    await buy('r1', '1');
    ledger.pass(DAY);
    await buy('r2', '2');
    const watchId = (await findWatch(ledger.db, WATCH.id))!;
    const ask = async (spend: Partial<AccountPolicy['spend']>) => {
      let reads = 0;
      const db: Queryable = {
        ...ledger.db,
        one: (query) => {
          if (JSON.stringify(query).includes('sum(counted)')) reads += 1;
          return ledger.db.one(query);
        },
      };
      const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, ...spend } };
      const scope = { watchId, runId: null, count: 'all' } as const;
      const question = await buildSpendQuestion(db, account, NO_CAP, scope, ledger.now());
      return { ...question.account.spent, reads };
    };
    const cap = 1_000_000 as Micros;

    assert.deepEqual((await ask({})).reads, 0);
    const day = await ask({ perDay: cap });
    assert.deepEqual([day.day, day.reads], [QUARTER, 2]);
    const month = await ask({ perMonth: cap });
    assert.deepEqual([month.day, month.month, month.reads], [QUARTER, 2 * QUARTER, 2]);
  });
});
