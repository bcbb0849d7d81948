import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  crawled,
  DAY,
  QUARTER,
  sendAll,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { CapRefusal } from '../../submission/caps.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { planRun } from '../plans/make-plan.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { endRun } from '../runs/runs.ts';
import { getRefusalEnd } from './refusal-end.ts';
import { buildSpendQuestion } from './spend-question.ts';

const SECOND: AccountPolicy = { ...ACCOUNT, id: 'second' as AccountId };
const NEWS: WatchPolicy = { ...WATCH, id: 'news' as WatchId };
const CAPS = { perRun: null, perDay: 9_000_000 as Micros, perMonth: 9_000_000 as Micros };

async function plan(ledger: TestLedger, run: string, watch: WatchPolicy, account: AccountPolicy, pages: string[]) {
  await crawled(ledger, run, { [run]: pages }, { watch: watch.id, account: account.id });
  await planRun(ledger, run as RunId, { watch, account });
  await endRun(ledger, run as RunId, 'finished');
}

describe('what a watch has spent under an account that it left', () => {
  testLedger('is what that watch bought and has on its way there, not what the others have', async (ledger) => {
    await plan(ledger, 'r1', WATCH, ACCOUNT, ['1', '2']);
    await sendAll(ledger);
    await plan(ledger, 'r2', NEWS, ACCOUNT, ['11', '12', '13', '14', '15']);
    await sendAll(ledger);
    await plan(ledger, 'r3', WATCH, ACCOUNT, ['3']);
    const [onItsWay] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    assert.equal((await beginSend(ledger, onItsWay!.id, { account: ACCOUNT, watch: WATCH })).kind, 'send');
    await plan(ledger, 'r4', NEWS, ACCOUNT, ['16', '17', '18', '19']);
    await plan(ledger, 'r5', WATCH, SECOND, []);
    const spent = async (account: AccountPolicy, { id }: WatchPolicy) => {
      const who = { watchId: (await findWatch(ledger.db, id))!, runId: null, count: 'all' } as const;
      const question = await buildSpendQuestion(ledger.db, account, CAPS, who, ledger.now());
      const { day, month } = question.watch.spent;
      return [day / QUARTER, month / QUARTER];
    };
    assert.deepEqual(await spent(SECOND, WATCH), [3, 3]);
    assert.deepEqual(await spent(ACCOUNT, NEWS), [9, 9], 'a watch that never moved counts once');
  });
});

describe('what was spent today and this month', () => {
  testLedger('begins with the first millisecond of the day', async (ledger) => {
    const begin = Date.UTC(2026, 1, 1);
    ledger.pass(begin - ledger.now() - 1);
    await plan(ledger, 'r1', WATCH, ACCOUNT, ['1', '2', '3', '4']);
    await sendAll(ledger);
    ledger.pass(1);
    await plan(ledger, 'r2', WATCH, ACCOUNT, ['5']);
    await sendAll(ledger);
    const who = { watchId: (await findWatch(ledger.db, WATCH.id))!, runId: null, count: 'all' } as const;
    for (const [from, spent] of [
      [begin, [1, 1]],
      [begin + DAY, [0, 1]],
    ] as const) {
      ledger.pass(from - ledger.now());
      const question = await buildSpendQuestion(ledger.db, ACCOUNT, CAPS, who, ledger.now());
      for (const { day, month } of [question.watch.spent, question.account.spent]) {
        assert.deepEqual([day / QUARTER, month / QUARTER], spent);
      }
    }
  });
});

describe('a refused spend is tried again', () => {
  const refusal = (period: 'run' | 'day' | 'month') => ({ reason: { code: 'cap_reached', period } }) as CapRefusal;
  const at = Date.UTC(2026, 11, 31, 23, 59, 59, 999);

  for (const [period, until] of [
    ['run', null],
    ['day', Date.UTC(2027, 0, 1)],
    ['month', Date.UTC(2027, 0, 1)],
  ] as const) {
    test(`at the end of its ${period}`, () => assert.equal(getRefusalEnd(refusal(period), at), until));
  }

  test('at the end of a month with 28 days, and never by itself where no cap refused it', () => {
    assert.equal(getRefusalEnd(refusal('month'), Date.UTC(2026, 1, 1)), Date.UTC(2026, 2, 1));
    assert.equal(getRefusalEnd(refusal('day'), Date.UTC(2026, 1, 1)), Date.UTC(2026, 1, 2));
    assert.equal(getRefusalEnd({ reason: { code: 'balance_short' } } as CapRefusal, at), null);
  });
});
