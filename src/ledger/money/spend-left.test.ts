import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, crawled, DAY, QUARTER, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getSpendLeft } from './spend-left.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;

describe('what the caps of an account leave', () => {
  testLedger('is null without a cap, else the cap less what is charged and planned in its period', async (ledger) => {
    const buy = async (run: string, pages: readonly string[]) => {
      await crawled(ledger, run, { [run]: pages });
      await planRun(ledger, run as RunId, { watch: WATCH, account: ACCOUNT });
      return async () => {
        await sendAll(ledger);
        await endRun(ledger, run as RunId, 'finished');
      };
    };
    const left = (perDay: number | null, perMonth: number | null) => {
      const caps = {
        perDay: perDay === null ? null : lira(perDay),
        perMonth: perMonth === null ? null : lira(perMonth),
      };
      return getSpendLeft(ledger, { ...ACCOUNT, spend: { ...ACCOUNT.spend, ...caps } });
    };
    await (await buy('r1', ['1', '2']))();
    ledger.pass(DAY);
    await (await buy('r2', ['3']))();
    assert.deepEqual(await left(null, null), { day: null, month: null });
    assert.deepEqual(await left(10, null), { day: lira(10) - QUARTER, month: null });
    assert.deepEqual(await left(null, 10), { day: null, month: lira(10) - 3 * QUARTER });
    assert.deepEqual(await left(10, 20), { day: lira(10) - QUARTER, month: lira(20) - 3 * QUARTER });
    await buy('r3', ['4', '5', '6', '7']);
    assert.deepEqual(await left(10, 20), { day: lira(10) - 5 * QUARTER, month: lira(20) - 7 * QUARTER });
    assert.deepEqual(await left(1, null), { day: lira(1) - 5 * QUARTER, month: null }, 'below zero where a cap fell');
  });
});
