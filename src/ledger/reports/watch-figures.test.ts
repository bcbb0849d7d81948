import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { crawled, NO_GUARD, type TestLedger, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { judgeRun } from '../plans/judge-run.ts';
import { decideRun } from '../runs/decide-run.ts';
import { endRun } from '../runs/runs.ts';
import { getWatchFigures } from './watch-figures.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';

/** A run whose sitemap could not be read. */
async function failRun(ledger: TestLedger, run: RunId): Promise<void> {
  await crawled(ledger, run, {}, { complete: false });
  await endRun(ledger, run, 'finished');
}

describe('a watch that fails', () => {
  testLedger(
    'fails no longer once a run is held that has read everything, nor after that is rejected',
    async (ledger) => {
      const read = async () => {
        const { failedRuns, failingSince, heldRun } = await getWatchFigures(ledger, WATCH.id);
        return [failedRuns, failingSince !== null, heldRun];
      };
      await crawled(ledger, 'first' as RunId, { [SITEMAP]: ['a'] });
      await endRun(ledger, 'first' as RunId, 'finished');
      for (const run of ['second', 'third']) await failRun(ledger, run as RunId);
      assert.deepEqual(await read(), [2, true, null]);
      await crawled(ledger, 'held' as RunId, { [SITEMAP]: ['a', 'b', 'c'] });
      assert.deepEqual(await read(), [2, true, null], 'one under way has not done its work');
      await judgeRun(ledger, 'held' as RunId, { ...NO_GUARD, maxNew: 1 });
      assert.deepEqual(await read(), [0, false, 'held']);
      await decideRun(ledger, 'held' as RunId, 'rejected', 'ann');
      await endRun(ledger, 'held' as RunId, 'finished');
      assert.deepEqual(await read(), [0, false, null]);
    },
  );
});
