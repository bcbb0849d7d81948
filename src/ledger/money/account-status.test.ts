import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, accepted, crawled, QUARTER, sendOne, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getAccountStatus, getOtherCurrency, recordKeyRejected, suspendAccount } from './account-status.ts';

describe('the status of an account', () => {
  testLedger('is free of every trouble once the service has accepted a batch', async (ledger) => {
    for (const run of ['r1', 'r2']) {
      await crawled(ledger, run, { [run]: [run] });
      await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, run as RunId, 'finished');
    }
    await suspendAccount(ledger.db, ACCOUNT.id, { code: 'insufficient_balance', text: 'no money' });
    await recordKeyRejected(ledger.db, ACCOUNT.id, { code: 'answer', outcome: 'reject_key', text: 'no key' });
    const before = await getAccountStatus(ledger, ACCOUNT.id);
    assert.deepEqual([before.suspended?.code, before.keyRejected?.code], ['insufficient_balance', 'answer']);
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await sendOne(ledger, batch!.id, QUARTER);
    // The other batch waits: its account would be shown as suspended if that were still recorded.
    assert.equal((await listPendingBatches(ledger, ACCOUNT.id)).batches.length, 1);
    assert.deepEqual(await getAccountStatus(ledger, ACCOUNT.id), { suspended: null, keyRejected: null });
  });

  testLedger('names the currency of the last acceptance where that is not the lira', async (ledger) => {
    for (const [run, otherCurrency, shown] of [
      ['r1', 'EUR', 'EUR'],
      ['r2', undefined, 'EUR'],
      ['r3', null, null],
    ] as const) {
      await crawled(ledger, run, { [run]: [run] });
      await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, run as RunId, 'finished');
      const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      const sending = await beginSend(ledger, batch!.id, { account: ACCOUNT, watch: WATCH });
      assert.ok(sending.kind === 'send');
      const outcome = { ...accepted(`R-${run}`), ...(otherCurrency === undefined ? {} : { otherCurrency }) };
      await recordAnswer(ledger, batch!.id, { attempt: sending.attempt, outcome, status: 202, requestId: null });
      assert.equal(await getOtherCurrency(ledger, ACCOUNT.id), shown, run);
    }
  });
});
