import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { reviewBatch } from '../batches/review-batch.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getEarlierBatches } from './earlier-work.ts';
import { listBatches } from './lists.ts';

describe('what earlier runs of a watch left', () => {
  testLedger(
    'batches that need review are counted apart from those that wait, and not those of the run',
    async (ledger) => {
      const [first, second] = ['first', 'second'] as RunId[];
      await crawled(ledger, first!, { a: ['1', '2'] });
      await planRun(ledger, first!, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, first!, 'finished');
      await crawled(ledger, second!, { a: ['1', '2'] });
      const count = async (run: RunId) => {
        const { batches, urls, needsReview } = await getEarlierBatches(ledger, run);
        return { batches, urls, needsReview };
      };
      assert.deepEqual(await count(second!), { batches: 1, urls: 2, needsReview: 0 });
      const [batch] = await listBatches(ledger);
      await reviewBatch(ledger, batch!.batch, { code: 'reported', text: 'the service answered 409' });
      assert.deepEqual(await count(second!), { batches: 0, urls: 0, needsReview: 1 });
      assert.deepEqual(await count(first!), { batches: 0, urls: 0, needsReview: 0 });
    },
  );
});
