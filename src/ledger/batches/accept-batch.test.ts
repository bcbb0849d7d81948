import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { timesMicros } from '../../../contract/money.ts';
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
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { cancelBatch } from './cancel-batch.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';
import { resolveNeedsReview } from './resolve-review.ts';

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

  testLedger(
    'that was refused before leaves the parts of its parts unsent, and its pages count as bought',
    async (ledger) => {
      const batch = await planned(ledger, ['1', '2', '3', '4']);
      const outcome = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;
      const split = async (id: BatchId) => {
        const sending = await beginSend(ledger, id, policies);
        assert.ok(sending.kind === 'send');
        const answer = { attempt: sending.attempt, status: 413, requestId: null };
        const refused = await recordAnswer(ledger, id, { ...answer, outcome });
        assert.ok(refused.kind === 'refused');
        return refused.children;
      };
      const [first] = await split(batch);
      assert.equal((await split(first!)).length, 2);
      await recordReconciled(ledger, batch, { ...accepted('R-1', timesMicros(QUARTER, 4)), kind: 'found' });
      assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, [], 'nothing is bought a second time');
      const { bought } = await ledger.db.one(sql<{ bought: number }>`
      SELECT count(*) AS bought FROM urls WHERE bought_at = ${ledger.now()}`);
      assert.equal(bought, 4);
    },
  );

  testLedger('that was cancelled before is not bought again in the batch that took its place', async (ledger) => {
    const batch = await planned(ledger, ['1', '2']);
    await endRun(ledger, 'r1' as RunId, 'finished');
    await cancelBatch(ledger, batch, 'anna');
    const plan = async (run: string, pages: Parameters<typeof crawled>[2][string]) => {
      ledger.pass(HOUR);
      await crawled(ledger, run, { a: pages });
      const { urls } = await planRun(ledger, run as RunId, policies);
      await endRun(ledger, run as RunId, 'finished');
      return urls;
    };
    assert.equal(await plan('r2', ['1', '2', '3']), 3);
    const [again] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    const late = await recordReconciled(ledger, batch, { ...accepted('R-1', timesMicros(QUARTER, 2)), kind: 'found' });
    assert.equal(late.kind, 'needs_review');
    assert.deepEqual((await beginSend(ledger, again!.id, policies)).kind, 'closed');
    assert.equal(await plan('r3', ['1', '2', '3']), 1, 'page 3 alone, which nobody has bought');
    assert.equal(await resolveNeedsReview(ledger, batch, 'leave'), true);
    assert.equal(await plan('r4', ['1', '2', '3']), 0);
  });

  testLedger('that was cancelled before does not buy a change that came later', async (ledger) => {
    await crawled(ledger, 'r1', { a: [['1', '2026-01-01']] });
    await planRun(ledger, 'r1' as RunId, policies);
    await endRun(ledger, 'r1' as RunId, 'finished');
    const [{ id } = { id: 0 as BatchId }] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await cancelBatch(ledger, id, 'anna');
    ledger.pass(HOUR);
    await crawled(ledger, 'r2', { a: [['1', '2026-01-10']] });
    await recordReconciled(ledger, id, { ...accepted('R-1', QUARTER), kind: 'found' });
    assert.equal((await planRun(ledger, 'r2' as RunId, policies)).urls, 1);
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
