import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, HOUR, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { parseReason, type Reason, renderReason, type StoredReason } from '../../submission/reason.ts';
import { getAccountStatus } from '../money/account-status.ts';
import { planRun } from '../plans/make-plan.ts';
import { listPendingBatches } from './batch-queries.ts';
import { postponeLookup } from './review-batch.ts';

describe('a batch whose look-up cannot be made', () => {
  testLedger('still says that the service refused it for want of money', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    assert.ok(batch);
    await postponeLookup(ledger, batch.id, ledger.now() + HOUR, 'HTTP 503');
    const status = () => getAccountStatus(ledger, ACCOUNT.id);
    assert.equal((await status()).suspended, null, 'nothing refused it');

    await ledger.db.run(sql`
      UPDATE batches SET reason_code = 'insufficient_balance', reason_params = '{"text":"only 24.00 TRY are left"}'
      WHERE id = ${batch.id}`);
    for (const text of ['HTTP 503', 'HTTP 502']) {
      await postponeLookup(ledger, batch.id, ledger.now() + HOUR, text);
      assert.deepEqual((await status()).suspended, { code: 'insufficient_balance', text: 'only 24.00 TRY are left' });
      const stored = await ledger.db.one(sql<StoredReason>`SELECT reason_code, reason_params FROM batches`);
      assert.match(
        renderReason(parseReason(stored) as Reason),
        new RegExp(`refused it for want of money \\(only 24\\.00 TRY are left\\).*cannot be read now \\(${text}\\)`),
      );
    }
  });
});
