import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  HOUR,
  QUARTER,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import { planRun } from '../plans/make-plan.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';

const policies = { account: ACCOUNT, watch: WATCH };

async function planned(ledger: TestLedger, pages: readonly string[]): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: pages });
  await planRun(ledger, 'r1' as RunId, policies);
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

describe('an accepted batch', () => {
  testLedger('counts on the day of its charge, not on that of its plan', async (ledger) => {
    const batch = await planned(ledger, ['1']);
    ledger.pass(13 * HOUR);
    const sending = await beginSend(ledger, batch, policies);
    assert.ok(sending.kind === 'send');
    const outcome = accepted('R-1', QUARTER);
    await recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: 202, requestId: null });
    const caps = { perRun: null, perDay: QUARTER, perMonth: null };
    const watchId = (await findWatch(ledger.db, WATCH.id))!;
    const scope = { watchId, runId: null, count: 'on their way' } as const;
    const day = async () => (await buildSpendQuestion(ledger.db, ACCOUNT, caps, scope, ledger.now())).watch.spent.day;
    assert.equal(await day(), QUARTER, 'it was planned yesterday, and charged today');
    ledger.pass(DAY);
    assert.equal(await day(), 0);
  });

  testLedger('that was refused before leaves the parts made of it unsent', async (ledger) => {
    const batch = await planned(ledger, ['1', '2']);
    const sending = await beginSend(ledger, batch, policies);
    assert.ok(sending.kind === 'send');
    const outcome = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;
    const answer = { attempt: sending.attempt, status: 413, requestId: null };
    const split = await recordAnswer(ledger, batch, { ...answer, outcome });
    assert.ok(split.kind === 'refused' && split.children.length === 2);
    const late = await recordReconciled(ledger, batch, { ...accepted('R-1', QUARTER), kind: 'found' });
    assert.equal(late.kind, 'needs_review');
    assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, [], 'nothing is bought a second time');
    for (const child of split.children) {
      const again = await beginSend(ledger, child, policies);
      assert.ok(again.kind === 'closed' && again.state === 'needs_review', JSON.stringify(again));
    }
  });

  testLedger('that was refused before leaves a part in doubt to its own answer', async (ledger) => {
    const batch = await planned(ledger, ['1', '2']);
    const sending = await beginSend(ledger, batch, policies);
    assert.ok(sending.kind === 'send');
    const outcome = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;
    const answer = { attempt: sending.attempt, status: 413, requestId: null };
    const split = await recordAnswer(ledger, batch, { ...answer, outcome });
    assert.ok(split.kind === 'refused');
    const [sent] = split.children;
    assert.equal((await beginSend(ledger, sent!, policies)).kind, 'send');
    await recordReconciled(ledger, batch, { ...accepted('R-1', QUARTER), kind: 'found' });
    const states = await ledger.db.all(sql<{ state: string }>`
      SELECT state FROM batches WHERE parent_id = ${batch} ORDER BY id`);
    assert.deepEqual(
      states.map(({ state }) => state),
      ['sending', 'needs_review'],
    );
  });
});
