import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, DAY, HOUR, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatchesInDoubt, listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';

const policies = { account: ACCOUNT, watch: WATCH };
const confirm = { confirmMs: 30_000 };

async function plan(ledger: TestLedger): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: ['1', '2'] });
  await planRun(ledger, 'r1' as RunId, policies);
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

const later = (ledger: TestLedger, batch: BatchId, chargeState: 'none' | 'unknown') =>
  recordAnswer(ledger, batch, {
    attempt: 1,
    outcome: { kind: 'retry', why: 'unavailable', chargeState, retryAfterMs: HOUR, message: 'x' },
    status: null,
    requestId: null,
  });

describe('after a clock that was ahead is set back', () => {
  for (const ahead of [DAY, 3 * DAY])
    testLedger(`by ${ahead / DAY} days, a batch in doubt is looked up at once`, async (ledger) => {
      const batch = await plan(ledger);
      ledger.pass(ahead);
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile', 'planned so long ago');
      await recordReconciled(ledger, batch, { kind: 'absent' });
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
      await later(ledger, batch, 'unknown');
      ledger.pass(-ahead);
      const { batches, nextAt } = await listPendingBatches(ledger, ACCOUNT.id);
      assert.deepEqual([batches.length, nextAt], [1, null], 'its wait is over');
      const sending = await beginSend(ledger, batch, policies);
      assert.equal(sending.kind, 'reconcile');
      assert.ok(sending.kind === 'reconcile' && sending.firstSentAt < ledger.now() - 7 * DAY, 'any job may be its own');
      const [doubt] = await listBatchesInDoubt(ledger, ACCOUNT.id);
      assert.ok(doubt!.firstSentAt < ledger.now() - 7 * DAY);
    });

  testLedger('an absence of that time is confirmed again', async (ledger) => {
    const batch = await plan(ledger);
    await beginSend(ledger, batch, policies);
    ledger.pass(2 * DAY);
    await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    ledger.pass(-DAY);
    assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' }, confirm)).kind, 'in_doubt');
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'wait');
    ledger.pass(30_000);
    assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' }, confirm)).kind, 'retry');
  });

  testLedger('a batch that was planned then is looked up once, and sent', async (ledger) => {
    ledger.pass(3 * DAY);
    const batch = await plan(ledger);
    ledger.pass(-3 * DAY);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    await recordReconciled(ledger, batch, { kind: 'absent' });
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
  });

  testLedger('a wait of minutes in the future lasts: clocks differ', async (ledger) => {
    const batch = await plan(ledger);
    await beginSend(ledger, batch, policies);
    await later(ledger, batch, 'none');
    ledger.pass(-60_000);
    const sending = await beginSend(ledger, batch, policies);
    assert.deepEqual(sending, { kind: 'wait', until: ledger.now() + HOUR + 60_000 });
  });
});
