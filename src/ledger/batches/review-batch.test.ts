import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, HOUR, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import { planRun } from '../plans/make-plan.ts';
import { listPendingBatches } from './batch-queries.ts';
import { findRefusedForMoney, postponeLookup } from './review-batch.ts';

describe('a batch whose look-up cannot be made', () => {
  testLedger('still says that the service refused it for want of money', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    assert.ok(batch);
    await postponeLookup(ledger, batch.id, ledger.now() + HOUR, 'HTTP 503');
    assert.equal(await findRefusedForMoney(ledger.db, ACCOUNT.id), null, 'nothing refused it');

    await ledger.db.run(sql`
      UPDATE batches SET reason_code = 'insufficient_balance', reason_params = '{"text":"only 24.00 TRY are left"}'
      WHERE id = ${batch.id}`);
    for (const text of ['HTTP 503', 'HTTP 502']) {
      await postponeLookup(ledger, batch.id, ledger.now() + HOUR, text);
      const refused = await findRefusedForMoney(ledger.db, ACCOUNT.id);
      assert.equal(refused?.batch, batch.id);
      assert.match(
        renderReason(refused.reason),
        new RegExp(`refused it for want of money \\(only 24\\.00 TRY are left\\).*cannot be read now \\(${text}\\)`),
      );
    }
  });
});
