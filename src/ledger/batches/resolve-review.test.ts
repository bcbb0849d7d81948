import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  crawled,
  HOUR,
  type Site,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob } from '../../../test/support/service-results.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import { recoverJob } from '../jobs/recover.ts';
import { planRun } from '../plans/make-plan.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { listReviewedWith, resolveNeedsReview } from './resolve-review.ts';
import { reviewBatch } from './review-batch.ts';

const policies = { account: ACCOUNT, watch: WATCH };
const none = { chargeState: 'none', message: 'refused, request req_7' } as const;

/** Sends what is pending to a gateway that answers 413 to everything, until nothing is pending. Returns the requests. */
async function sendToGateway(ledger: TestLedger): Promise<number> {
  for (let requests = 0; ; requests++) {
    const [pending] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    if (pending === undefined) return requests;
    const sending = await beginSend(ledger, pending.id, policies);
    assert.equal(sending.kind, 'send');
    await recordAnswer(ledger, pending.id, {
      attempt: sending.kind === 'send' ? sending.attempt : 0,
      outcome: pending.urls > 1 ? { kind: 'split', why: 'too-large', ...none } : { kind: 'defect', ...none },
      status: 413,
      requestId: `req_${requests}`,
    });
  }
}

async function plan(ledger: TestLedger, run: string, pages: readonly string[]): Promise<void> {
  await crawled(ledger, run, { a: pages });
  await planRun(ledger, run as RunId, policies);
  await endRun(ledger, run as RunId, 'finished');
}

const review = (ledger: TestLedger) =>
  ledger.db.all<{ id: BatchId; parent_id: BatchId | null }>({
    strings: ["SELECT id, parent_id FROM batches WHERE state = 'needs_review' ORDER BY id"],
    parts: [],
  });

describe('resolving a batch of which another job has bought some URLs', () => {
  for (const { how, due } of [
    { how: 'release', due: 1 },
    { how: 'leave', due: 0 },
  ] as const) {
    testLedger(`${how}: the URLs of that job stay bought, and its results are recorded`, async (ledger) => {
      await plan(ledger, 'r1', ['1', '2']);
      const [pending] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      assert.equal((await beginSend(ledger, pending!.id, policies)).kind, 'send');
      const reference = 'R-1' as Reference;
      await recoverJob(
        ledger,
        { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
        {
          ...{ reference, state: 'processing', terminal: false, service: 'standard', project: 'Shop' },
          ...{ createdAt: ledger.now(), charge: 250_000 as Micros },
          urls: [{ url: shopUrl(1), result: 'open', reason: null }],
        },
      );
      assert.ok(await resolveNeedsReview(ledger, pending!.id, how));
      await crawled(ledger, 'r2', { a: ['1', '2'] });
      assert.equal((await planRun(ledger, 'r2' as RunId, policies)).urls, due);
      assert.equal((await getUrlHistory(ledger, shopUrl(1)))[0]?.state, 'submitted');
      await endJob(ledger, reference, { state: 'completed' });
      assert.equal((await getUrlHistory(ledger, shopUrl(1)))[0]?.state, 'completed');
    });
  }
});

describe('resolving batches together', () => {
  testLedger(
    'the parts of a batch that a gateway rejects are released together, and their URLs are due',
    async (ledger) => {
      const pages = Array.from({ length: 64 }, (_, n) => `p/${n}`);
      await plan(ledger, 'r1', pages);
      assert.ok((await sendToGateway(ledger)) < 20, 'it stops after a few requests, not after every URL');
      const [first, ...rest] = await review(ledger);
      assert.ok(rest.length > 2);
      const { certain, inDoubt } = await listReviewedWith(ledger, first!.id, 'parts');
      assert.deepEqual([certain, inDoubt], [rest.map(({ id }) => id), []]);
      for (const id of [first!.id, ...certain]) assert.ok(await resolveNeedsReview(ledger, id, 'release'));
      await crawled(ledger, 'r2', { a: pages });
      assert.equal((await planRun(ledger, 'r2' as RunId, policies)).urls, 64);
    },
  );

  testLedger(
    'batches with the same reason include those of other runs, and none for another reason',
    async (ledger) => {
      await plan(ledger, 'r1', ['1']);
      await sendToGateway(ledger);
      ledger.pass(HOUR);
      await plan(ledger, 'r2', ['1', '2']);
      await sendToGateway(ledger);
      await plan(ledger, 'r3', ['1', '2', '3']);
      const [third] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      await reviewBatch(ledger, third!.id, { code: 'body_damaged' });
      const [one, two] = await review(ledger);
      assert.deepEqual(await listReviewedWith(ledger, one!.id, 'same-reason'), { certain: [two!.id], inDoubt: [] });
      assert.deepEqual(await listReviewedWith(ledger, one!.id, 'parts'), { certain: [], inDoubt: [] });
    },
  );

  testLedger('a batch that may have been charged is named, and not released with the others', async (ledger) => {
    await plan(ledger, 'r1', ['1']);
    await plan(ledger, 'r2', ['1', '2']);
    const [one, two] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await reviewBatch(ledger, one!.id, { code: 'lookup_unsure', text: 'unsure' });
    await beginSend(ledger, two!.id, policies);
    await reviewBatch(ledger, two!.id, { code: 'lookup_unsure', text: 'unsure' });
    assert.deepEqual(await listReviewedWith(ledger, one!.id, 'same-reason'), { certain: [], inDoubt: [two!.id] });
  });

  testLedger(
    'one that is left counts its URLs as bought as they were sent: a change seen since is bought',
    async (ledger) => {
      const site = (lastmod: string): Site => ({
        a: [
          ['1', lastmod],
          ['2', '2026-01-01'],
        ],
      });
      await crawled(ledger, 'first', site('2026-01-01'));
      await planRun(ledger, 'first' as RunId, policies);
      await endRun(ledger, 'first' as RunId, 'finished');
      await sendToGateway(ledger);
      await crawled(ledger, 'sees', site('2026-01-02'));
      await endRun(ledger, 'sees' as RunId, 'finished');
      for (const { id } of await review(ledger)) assert.ok(await resolveNeedsReview(ledger, id, 'leave'));
      await crawled(ledger, 'after', site('2026-01-02'));
      assert.equal((await planRun(ledger, 'after' as RunId, policies)).urls, 1, 'the page that changed alone');
    },
  );
});
