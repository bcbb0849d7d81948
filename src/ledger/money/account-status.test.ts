import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, QUARTER, sendOne, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getAccountStatus, recordKeyRejected, suspendAccount } from './account-status.ts';

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
});
