import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
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
