import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, accepted, crawled, HOUR, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';

const policies = { account: ACCOUNT, watch: WATCH };
const MINUTE = 60_000;
const confirm = { confirmMs: MINUTE };

/** One batch whose only attempt was never answered, long ago. */
async function lostBatch(ledger: TestLedger): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: ['1', '2'] });
  await planRun(ledger, 'r1' as RunId, policies);
  const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
  assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
  ledger.pass(21 * HOUR);
  return batch;
}

describe('confirmAbsence', () => {
  testLedger('a lost batch is sent again only when the list lacks it twice', async (ledger) => {
    const batch = await lostBatch(ledger);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    const first = await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    assert.equal(first.kind, 'in_doubt', 'the account continues with other batches');
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'wait');
    assert.deepEqual(await listPendingBatches(ledger, ACCOUNT.id), { batches: [], nextAt: ledger.now() + MINUTE });
    ledger.pass(MINUTE);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
  });

  testLedger('an absence from before another attempt confirms nothing', async (ledger) => {
    const batch = await lostBatch(ledger);
    await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    ledger.pass(MINUTE);
    // The key is trusted for longer now, so the batch is sent again, and its answer is lost as well.
    const account = { ...ACCOUNT, reconcile: { afterMs: 48 * HOUR } };
    assert.equal((await beginSend(ledger, batch, { account, watch: WATCH })).kind, 'send');
    const next = await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    assert.equal(next.kind, 'in_doubt', 'the list may not show yet what was sent a moment ago');
    ledger.pass(MINUTE);
    assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' }, confirm)).kind, 'retry');
  });

  testLedger('a job that appears in the list late is found, and nothing is sent again', async (ledger) => {
    const batch = await lostBatch(ledger);
    await recordReconciled(ledger, batch, { kind: 'absent' }, confirm);
    ledger.pass(MINUTE);
    const found = await recordReconciled(
      ledger,
      batch,
      { ...accepted('R-1', 500_000 as Micros), kind: 'found' },
      confirm,
    );
    assert.equal(found.kind, 'accepted');
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'closed');
  });

  testLedger('a rejection after a lost attempt is applied only when the list lacks the job twice', async (ledger) => {
    const batch = await lostBatch(ledger);
    ledger.pass(-20 * HOUR);
    const again = await beginSend(ledger, batch, policies);
    assert.ok(again.kind === 'send' && again.inDoubt);
    const refusal = { kind: 'split', why: 'invalid', chargeState: 'none', message: 'refused' } as const;
    const outcome = { kind: 'conflict', chargeState: 'unknown', ifAbsent: refusal, message: 'refused' } as const;
    await recordAnswer(ledger, batch, { attempt: again.attempt, outcome, status: 422, requestId: null });
    assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' }, confirm)).kind, 'in_doubt');
    ledger.pass(MINUTE);
    assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' }, confirm)).kind, 'refused');
  });

  testLedger('a batch that waited a day for funds is looked up once, not endlessly', async (ledger) => {
    const batch = await lostBatch(ledger);
    ledger.pass(-20 * HOUR);
    const outcome = { kind: 'suspend', chargeState: 'none', message: 'the balance does not suffice' } as const;
    const again = await beginSend(ledger, batch, policies);
    assert.ok(again.kind === 'send');
    for (const attempt of [1, again.attempt]) {
      await recordAnswer(ledger, batch, { attempt, outcome, status: 402, requestId: null });
    }
    ledger.pass(30 * HOUR);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    await recordReconciled(ledger, batch, { kind: 'absent' });
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
  });

  testLedger('the account configures how long an idempotency key is trusted', async (ledger) => {
    const batch = await lostBatch(ledger);
    const at = (hours: number) =>
      beginSend(ledger, batch, { account: { ...ACCOUNT, reconcile: { afterMs: hours * HOUR } }, watch: WATCH });
    assert.equal((await at(1)).kind, 'reconcile');
    assert.equal((await at(22)).kind, 'send');
  });
});
