import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  HOUR,
  QUARTER,
  sendOne,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { AccountId, BatchId, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import type { AccountPolicy } from '../policy.ts';
import { listBatches } from '../reports/lists.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';

const SECOND: AccountPolicy = { ...ACCOUNT, id: 'second' as AccountId };
const MOVED = { ...WATCH, account: SECOND.id };

/** One page, planned under an account. */
async function plan(ledger: TestLedger, run: string, account: AccountPolicy = ACCOUNT): Promise<BatchId | null> {
  await crawled(ledger, run, { a: ['1'] }, { account: account.id });
  await planRun(ledger, run as RunId, { account, watch: WATCH });
  return (await listPendingBatches(ledger, account.id, { waiting: true })).batches[0]?.id ?? null;
}

const show = async (ledger: TestLedger) =>
  (await listBatches(ledger)).map(({ account, state, reason }) => [account, state, reason]);

const WHY =
  'taken back before anything was sent: its watch now belongs to account second, which buys its URLs with the next run ' +
  'of the watch. Its URLs are due again';

describe('a batch of a watch that belongs to another account now', () => {
  testLedger('is taken back instead of sent, and the other account buys its URLs', async (ledger) => {
    const batch = await plan(ledger, 'r1');
    const sending = await beginSend(ledger, batch!, { account: ACCOUNT, watch: MOVED });
    assert.deepEqual(sending, { kind: 'closed', state: 'cancelled', reason: WHY });
    await completeRun(ledger, 'r1', { a: ['1'] });
    assert.notEqual(await plan(ledger, 'r2', SECOND), null);
  });

  testLedger('is taken back by the next run, also while its account is in trouble', async (ledger) => {
    await plan(ledger, 'r1');
    await completeRun(ledger, 'r1', { a: ['1'] });
    const batch = await plan(ledger, 'r2', SECOND);
    assert.deepEqual(await show(ledger), [
      ['second', 'planned', null],
      ['main', 'cancelled', WHY],
    ]);
    const sending = await beginSend(ledger, batch!, { account: SECOND, watch: MOVED });
    assert.equal(sending.kind, 'send');
  });

  testLedger('stays with its account when it is in doubt, and is sent again there', async (ledger) => {
    const batch = await plan(ledger, 'r1');
    assert.equal((await beginSend(ledger, batch!, { account: ACCOUNT, watch: WATCH })).kind, 'send');
    await completeRun(ledger, 'r1', { a: ['1'] });
    assert.equal(await plan(ledger, 'r2', SECOND), null, 'its URL is planned already');
    assert.equal((await beginSend(ledger, batch!, { account: ACCOUNT, watch: MOVED })).kind, 'send');
  });

  for (const { cap, isInDoubt, nextDay, why } of [
    { cap: 'perDay', isInDoubt: false, nextDay: 1, why: 'the day is over' },
    { cap: 'perDay', isInDoubt: true, nextDay: 0, why: 'a doubt counts until it is resolved' },
    { cap: 'perMonth', isInDoubt: false, nextDay: 0, why: 'the month goes on' },
  ] as const) {
    testLedger(`leaves ${cap} of its watch as it is, ${isInDoubt ? 'in doubt' : 'charged'}`, async (ledger) => {
      const watch = { ...WATCH, spend: { ...WATCH.spend, [cap]: QUARTER } };
      const first = await plan(ledger, 'r1');
      if (isInDoubt) await beginSend(ledger, first!, { account: ACCOUNT, watch: WATCH });
      else await sendOne(ledger, first!, QUARTER);
      await completeRun(ledger, 'r1', { a: ['1'] });
      const buy = async (run: string) => {
        await crawled(ledger, run, { a: ['1', '2'] }, { account: SECOND.id });
        const { urls } = await planRun(ledger, run as RunId, { account: SECOND, watch });
        await completeRun(ledger, run, { a: ['1', '2'] }, { account: SECOND.id });
        return urls;
      };
      assert.equal(await buy('r2'), 0, 'what it spent in its first account counts');
      ledger.pass(24 * HOUR);
      assert.equal(await buy('r3'), nextDay, why);
    });
  }

  testLedger('what its first account has bought stays bought', async (ledger) => {
    await sendOne(ledger, (await plan(ledger, 'r1'))!, QUARTER);
    await completeRun(ledger, 'r1', { a: ['1'] });
    assert.equal(await plan(ledger, 'r2', SECOND), null);
  });
});
