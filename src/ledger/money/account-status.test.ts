import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, accepted, crawled, QUARTER, sendOne, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { recordStop } from '../accounts/stops.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getAccountStatus, getOtherCurrency } from './account-status.ts';

describe('the status of an account', () => {
  testLedger('is free of every trouble once the service has accepted a batch', async (ledger) => {
    for (const run of ['r1', 'r2']) {
      await crawled(ledger, run, { [run]: [run] });
      await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, run as RunId, 'finished');
    }
    await recordStop(ledger.db, ACCOUNT.id, {
      kind: 'key',
      at: 0,
      reason: { code: 'answer', outcome: 'reject_key', text: 'no key' },
    });
    const refused = {
      code: 'requests_refused',
      account: ACCOUNT.id,
      status: 404,
      batches: 3,
      text: '404',
      until: 0,
    } as const;
    await recordStop(ledger.db, ACCOUNT.id, { kind: 'refusals', at: 0, until: 0, reason: refused });
    const before = await getAccountStatus(ledger, ACCOUNT.id);
    assert.deepEqual([before.suspended?.code, before.keyRejected?.code], ['requests_refused', 'answer']);
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await sendOne(ledger, batch!.id, QUARTER);
    // The other batch waits: its account would be shown as stopped if that were still recorded.
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
