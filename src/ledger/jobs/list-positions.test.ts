import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { Reference, RunId } from '../../submission/ids.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { getListPositions } from './list-positions.ts';

describe('list positions', () => {
  testLedger("a job's list position is the number of newer jobs; an unknown job has none", async (ledger) => {
    const references: Reference[] = [];
    for (const name of ['r1', 'r2', 'r3', 'r4']) {
      await crawled(ledger, name, { a: [name] });
      await planRun(ledger, name as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, name as RunId, 'finished');
      references.push(...(await sendAll(ledger)));
      assert.equal((await getListPositions(ledger, ACCOUNT.id, references)).several, references.length > 1);
      // The last two in the same millisecond.
      if (name !== 'r3') ledger.pass(1_000);
    }
    const [first, second, third, last] = references as [Reference, Reference, Reference, Reference];
    const asked = [second, first, 'R-elsewhere' as Reference, last];
    assert.deepEqual(
      [...(await getListPositions(ledger, ACCOUNT.id, asked)).newer].toSorted(([, a], [, b]) => a - b),
      [
        [last, 0],
        [second, 2],
        [first, 3],
      ],
    );
    assert.equal((await getListPositions(ledger, ACCOUNT.id, [third])).newer.get(third), 1);
    assert.equal((await getListPositions(ledger, ACCOUNT.id, [])).newer.size, 0);
  });
});
