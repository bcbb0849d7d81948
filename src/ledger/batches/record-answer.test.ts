import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, sendOne, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';

const policies = { account: ACCOUNT, watch: WATCH };
const MINUTE = 60_000;

async function planned(ledger: TestLedger): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: ['1'] });
  await planRun(ledger, 'r1' as RunId, policies);
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

describe('a batch that the balance does not cover', () => {
  testLedger('is tried again at once, then after 1, 2, 4, 8 and at most 15 minutes', async (ledger) => {
    const batch = await planned(ledger);
    const waits: number[] = [];
    for (let n = 0; n < 16; n++) {
      const sending = await beginSend(ledger, batch, policies);
      assert.ok(sending.kind === 'send', JSON.stringify(sending));
      const outcome = { kind: 'suspend', chargeState: 'none', message: 'the balance does not suffice' } as const;
      await recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: 402, requestId: null });
      const again = await beginSend(ledger, batch, policies);
      // A batch that waits is not sent; one that was is answered here, and counts as the next attempt.
      if (again.kind === 'send') {
        waits.push(0);
        await recordAnswer(ledger, batch, { attempt: again.attempt, outcome, status: 402, requestId: null });
      }
      const { nextAt } = await listPendingBatches(ledger, ACCOUNT.id);
      waits.push((nextAt! - ledger.now()) / MINUTE);
      ledger.pass(nextAt! - ledger.now() - 1);
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'wait', 'not a millisecond early');
      ledger.pass(1);
    }
    assert.deepEqual(waits.slice(0, 8), [0, 1, 2, 4, 8, 15, 15, 15]);
    assert.ok(waits.slice(5).every((wait) => wait === 15));
  });
});

describe('a second answer to an attempt', () => {
  testLedger('changes nothing, and says what the first one meant', async (ledger) => {
    const batch = await planned(ledger);
    await beginSend(ledger, batch, policies);
    const answer = { attempt: 1, status: 503, requestId: null };
    const later = { kind: 'retry', why: 'unavailable', retryAfterMs: 30_000, message: 'later' } as const;
    const first = await recordAnswer(ledger, batch, { ...answer, outcome: { ...later, chargeState: 'none' } });
    assert.deepEqual(first, { kind: 'retry', batch, notBefore: ledger.now() + 30_000 });
    const split = { kind: 'split', why: 'invalid', chargeState: 'none', message: 'refused' } as const;
    assert.deepEqual(await recordAnswer(ledger, batch, { ...answer, outcome: split }), first);
    ledger.pass(30_000);
    await beginSend(ledger, batch, policies);
    const outcome = { ...later, chargeState: 'unknown' } as const;
    const doubt = await recordAnswer(ledger, batch, { ...answer, attempt: 2, outcome });
    assert.deepEqual(await recordAnswer(ledger, batch, { ...answer, attempt: 2, outcome: split }), doubt);
    assert.equal(doubt.kind, 'retry');
  });

  testLedger('is late where the batch is closed, and names its state', async (ledger) => {
    const batch = await planned(ledger);
    await sendOne(ledger, batch);
    const split = { kind: 'split', why: 'invalid', chargeState: 'none', message: 'refused' } as const;
    const late = await recordAnswer(ledger, batch, { attempt: 1, outcome: split, status: 422, requestId: null });
    assert.deepEqual(late, { kind: 'closed', batch, state: 'accepted' });
  });

  testLedger('ends the doubt where it was the last one: a later attempt is a doubt of its own', async (ledger) => {
    const batch = await planned(ledger);
    for (const _ of [1, 2]) await beginSend(ledger, batch, policies);
    const answer = { status: 503, requestId: null };
    const split = { kind: 'split', why: 'invalid', chargeState: 'none', message: 'refused' } as const;
    const doubt = await recordAnswer(ledger, batch, { ...answer, attempt: 2, outcome: split });
    assert.equal(doubt.kind, 'in_doubt');
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    const later = { kind: 'retry', why: 'unavailable', retryAfterMs: 0, message: 'later' } as const;
    await recordAnswer(ledger, batch, { ...answer, attempt: 1, outcome: { ...later, chargeState: 'none' } });
    const third = await beginSend(ledger, batch, policies);
    assert.ok(third.kind === 'send' && third.attempt === 3, JSON.stringify(third));
    await recordAnswer(ledger, batch, { ...answer, attempt: 3, outcome: { ...later, chargeState: 'unknown' } });
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'send', 'not looked up before it is sent again');
  });
});
