import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  HOUR,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { Reference, RunId, WatchId } from '../../submission/ids.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { recoverJob } from '../jobs/recover.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';
import { reviewBatch } from './review-batch.ts';

const REFERENCE = 'J-1' as Reference;
const policies = { account: ACCOUNT, watch: WATCH };
const found = { reference: REFERENCE, state: 'queued', charged: null, pricePerUrl: null, balance: null };

/** A batch of a restored copy that waits for its answer, and a job that the copy learned from the service. */
async function planAndRecover(
  ledger: TestLedger,
  planned: readonly string[],
  bought: readonly string[],
  { run = 'r1', lastmod = '2026-01-01', watch = WATCH.id } = {},
) {
  await crawled(ledger, run, { a: planned.map((path) => [path, lastmod]) });
  await planRun(ledger, run as RunId, policies);
  const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  assert.equal((await beginSend(ledger, batch!.id, policies)).kind, 'send');
  await recoverJob(
    ledger,
    { account: ACCOUNT.id, watch, baseUrl: ACCOUNT.baseUrl },
    {
      reference: REFERENCE,
      state: 'processing',
      terminal: false,
      service: 'standard',
      project: 'Shop',
      // A service that shows no time of creation: by its dates the job is older than the plan.
      createdAt: ledger.now() - 48 * HOUR,
      charge: null,
      urls: bought.map((path) => ({ url: shopUrl(path), result: 'open', reason: null })),
    },
  );
  return batch!.id;
}

describe('a batch with the reference of another one', () => {
  testLedger(
    'is the same purchase when both have the same URLs: nothing is charged and no review is needed',
    async (ledger) => {
      const batch = await planAndRecover(ledger, ['1', '2', '3'], ['3', '1', '2']);
      const before = await getAccountTotals(ledger, ACCOUNT.id);
      const recorded = await recordAnswer(ledger, batch, {
        attempt: 1,
        outcome: { ...accepted(REFERENCE), replay: true },
        status: 200,
        requestId: null,
      });
      assert.deepEqual([recorded.kind, 'again' in recorded && recorded.again], ['accepted', true]);
      const lines = await listBatches(ledger);
      assert.deepEqual(lines.map(({ state }) => state).toSorted(), ['accepted', 'refused']);
      assert.match(lines.find(({ state }) => state === 'refused')?.reason ?? '', /one purchase, charged once/);
      const after = await getAccountTotals(ledger, ACCOUNT.id);
      assert.equal(after.chargedThisMonth, before.chargedThisMonth);
      const url = async () => (await getUrlHistory(ledger, shopUrl('2')))[0];
      assert.equal((await url())?.state, 'submitted');
      await recordPoll(ledger, ACCOUNT.id, REFERENCE, { state: 'completed', terminalStates: ['completed'] });
      await settleJob(ledger, ACCOUNT.id, REFERENCE, { retryFailed: { times: 0, afterMs: 0 } });
      assert.deepEqual([(await url())?.state, (await url())?.due ?? null], ['completed', null]);
    },
  );

  testLedger('ends the same way when an operator names that reference', async (ledger) => {
    const batch = await planAndRecover(ledger, ['1', '2'], ['1', '2']);
    await reviewBatch(ledger, batch, { code: 'body_damaged' });
    const recorded = await recordReconciled(ledger, batch, { kind: 'found', ...found });
    assert.equal(recorded.kind, 'accepted');
    assert.deepEqual((await listBatches(ledger)).map(({ state }) => state).toSorted(), ['accepted', 'refused']);
  });

  testLedger('has bought its URLs as late as the other one', async (ledger) => {
    await crawled(ledger, 'first', { a: [['1', '2026-01-01']] });
    await planRun(ledger, 'first' as RunId, policies);
    const [reference = REFERENCE] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: null });
    await endRun(ledger, 'first' as RunId, 'finished');
    ledger.pass(20 * DAY);
    const later = { run: 'later', lastmod: '2026-02-01', watch: 'news' as WatchId };
    const batch = await planAndRecover(ledger, ['1'], ['1'], later);
    assert.equal((await recordReconciled(ledger, batch, { kind: 'found', ...found })).kind, 'accepted');
    const times = (await ledger.db.all(sql<{ bought_at: number }>`SELECT bought_at FROM urls`)).map(
      (url) => url.bought_at,
    );
    assert.deepEqual(times, [ledger.now() - 2 * DAY, ledger.now() - 2 * DAY]);
  });

  testLedger('needs review when one of them has other URLs', async (ledger) => {
    const batch = await planAndRecover(ledger, ['1', '2', '3'], ['1', '2', '4']);
    const recorded = await recordReconciled(ledger, batch, { kind: 'found', ...found });
    assert.equal(recorded.kind, 'needs_review');
  });
});
