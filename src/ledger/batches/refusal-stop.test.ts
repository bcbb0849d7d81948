import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ACCOUNT,
  accepted,
  completeRun,
  crawled,
  HOUR,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, RunId, WatchId } from '../../submission/ids.ts';
import { computeRefusalWait } from '../../submission/refusal-stop.ts';
import { getRefusalStop } from '../accounts/stops.ts';
import { moveAccount } from '../money/account.ts';
import { getAccountStatus } from '../money/account-status.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { type AnswerRecorded, recordAnswer } from './record-answer.ts';
import { resumeRefused } from './refusal-stop.ts';

const MINUTE = 60_000;
const AS_IT_IS = { release: false, by: 'ops' };
const defect = { kind: 'defect', chargeState: 'none', message: 'status 404, request q-1' } as const;
const tooLarge = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;

/** So many batches of one URL. */
async function planBatches(ledger: TestLedger, count: number, { from = 1, account = ACCOUNT, watch = WATCH } = {}) {
  for (let n = from; n < from + count; n++) {
    const pages = Array.from({ length: n }, (_, at) => String(at + 1));
    await crawled(ledger, `${watch.id}-${n}`, { a: pages }, { watch: watch.id, account: account.id });
    await planRun(ledger, `${watch.id}-${n}` as RunId, { account, watch });
    await endRun(ledger, `${watch.id}-${n}` as RunId, 'finished');
  }
}

const begin = (ledger: TestLedger, batch: BatchId, account = ACCOUNT, watch = WATCH) =>
  beginSend(ledger, batch, { account, watch });

async function next(ledger: TestLedger, account = ACCOUNT): Promise<BatchId> {
  const [batch] = (await listPendingBatches(ledger, account.id)).batches;
  assert.ok(batch !== undefined);
  return batch.id;
}

async function answer(
  ledger: TestLedger,
  outcome: Parameters<typeof recordAnswer>[2]['outcome'],
  status: number,
): Promise<AnswerRecorded & { readonly batch: BatchId }> {
  const batch = await next(ledger);
  const sending = await begin(ledger, batch);
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  return recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status, requestId: null });
}

const listStates = async (ledger: TestLedger) => (await listBatches(ledger)).map(({ state }) => state).toReversed();

describe('batches that the service refuses alike', () => {
  testLedger('the third in a row stops the account, and nothing of it needs review', async (ledger) => {
    await planBatches(ledger, 5);
    assert.equal((await answer(ledger, defect, 404)).kind, 'needs_review');
    assert.equal((await answer(ledger, defect, 404)).kind, 'needs_review');
    assert.equal((await answer(ledger, defect, 404)).kind, 'suspended');
    assert.deepEqual(await listStates(ledger), Array(5).fill('planned'));
    const held = await begin(ledger, await next(ledger));
    assert.ok(held.kind === 'held');
    assert.match(held.reason, /refused 3 batches in a row with status 404 .*Nothing was charged/);
    assert.match(held.reason, /base_url is probably wrong.*courier accounts move main/);
    assert.match(held.reason, /One batch is tried at 2026-01-15T12:15:00\.000Z/);
    assert.match(held.reason, /courier accounts resume main/);
    assert.equal((await getAccountStatus(ledger, ACCOUNT.id)).suspended?.code, 'requests_refused');
  });

  testLedger(
    'one batch is tried at the time of the next attempt; its success sends all with their keys',
    async (ledger) => {
      await planBatches(ledger, 4);
      const keys = (await listBatches(ledger)).map(({ key }) => key);
      for (let n = 0; n < 3; n++) await answer(ledger, defect, 404);
      ledger.pass(15 * MINUTE);
      const probe = await next(ledger);
      const sending = await begin(ledger, probe);
      assert.ok(sending.kind === 'send');
      const others = (await listPendingBatches(ledger, ACCOUNT.id)).batches.filter(({ id }) => id !== probe);
      assert.equal((await begin(ledger, others[0]!.id)).kind, 'held', 'another worker waits for the answer');
      await recordAnswer(ledger, probe, {
        attempt: sending.attempt,
        outcome: accepted('R-0'),
        status: 202,
        requestId: null,
      });
      assert.equal(await getRefusalStop(ledger.db, ACCOUNT.id), null);
      for (let n = 1; n < 4; n++) assert.equal((await answer(ledger, accepted(`R-${n}`), 202)).kind, 'accepted');
      assert.deepEqual(
        (await listBatches(ledger)).map(({ key }) => key),
        keys,
      );
    },
  );

  testLedger('each further refusal doubles the wait and costs no batch', async (ledger) => {
    await planBatches(ledger, 3);
    for (let n = 0; n < 3; n++) await answer(ledger, defect, 404);
    for (const wait of [15, 30, 60, 120, 240, 360, 360]) {
      const stop = await getRefusalStop(ledger.db, ACCOUNT.id);
      assert.equal(stop!.until - ledger.now(), wait * MINUTE);
      ledger.pass(wait * MINUTE);
      assert.equal((await answer(ledger, defect, 404)).kind, 'suspended');
    }
    assert.deepEqual(await listStates(ledger), Array(3).fill('planned'));
  });

  testLedger('an odd batch between others needs review and stops nothing', async (ledger) => {
    await planBatches(ledger, 8);
    for (let n = 0; n < 4; n++) {
      assert.equal((await answer(ledger, defect, 400)).kind, 'needs_review');
      assert.equal((await answer(ledger, accepted(`R-${n}`), 202)).kind, 'accepted');
    }
    assert.equal((await listBatches(ledger, { state: 'needs_review' })).length, 4);
  });

  testLedger('different statuses are not one cause', async (ledger) => {
    await planBatches(ledger, 4);
    for (const status of [400, 404, 400, 404]) {
      assert.equal((await answer(ledger, defect, status)).kind, 'needs_review');
    }
    assert.equal(await getRefusalStop(ledger.db, ACCOUNT.id), null);
  });

  testLedger('another account sends on', async (ledger) => {
    const second = { ...ACCOUNT, id: 'second' as AccountId };
    const news = { ...WATCH, id: 'news' as WatchId };
    await planBatches(ledger, 3);
    await planBatches(ledger, 1, { account: second, watch: news });
    for (let n = 0; n < 3; n++) await answer(ledger, defect, 404);
    assert.equal((await begin(ledger, await next(ledger, second), second, news)).kind, 'send');
  });

  testLedger('what a batch in doubt was charged is looked up first, and it is not sent alone', async (ledger) => {
    await planBatches(ledger, 4);
    const doubtful = await next(ledger);
    assert.equal((await begin(ledger, doubtful)).kind, 'send');
    for (let n = 0; n < 3; n++) {
      const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches.filter(({ attempts }) => attempts === 0);
      const sending = await begin(ledger, batch!.id);
      assert.ok(sending.kind === 'send');
      await recordAnswer(ledger, batch!.id, { attempt: 1, outcome: defect, status: 404, requestId: null });
    }
    assert.equal((await begin(ledger, doubtful)).kind, 'held');
    ledger.pass(21 * HOUR);
    assert.equal((await begin(ledger, doubtful)).kind, 'reconcile');
  });

  testLedger('three batches split to the last URL for their size stop the account, not each part', async (ledger) => {
    let requests = 0;
    for (let run = 1; run <= 5; run++) {
      const pages = Array.from({ length: 16 * run }, (_, at) => String(at));
      await crawled(ledger, `r${run}`, { a: pages });
      await planRun(ledger, `r${run}` as RunId, { account: ACCOUNT, watch: WATCH });
      await endRun(ledger, `r${run}` as RunId, 'finished');
    }
    for (;;) {
      const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      if (batch === undefined) break;
      const sending = await begin(ledger, batch.id);
      if (sending.kind === 'held') break;
      assert.ok(sending.kind === 'send');
      requests += 1;
      const outcome = batch.urls > 1 ? tooLarge : defect;
      await recordAnswer(ledger, batch.id, { attempt: 1, outcome, status: 413, requestId: null });
    }
    assert.equal((await getRefusalStop(ledger.db, ACCOUNT.id))?.reason.status, 413);
    const { whole } = await ledger.db.one(sql<{ whole: number }>`
      SELECT count(*) AS whole FROM batches WHERE parent_id IS NULL AND state = 'refused'`);
    assert.equal(whole, 3, 'a batch and its parts count once');
    assert.ok(requests < 40, `${requests} requests for 80 URLs`);
  });
});

describe('an operator who has corrected the cause', () => {
  testLedger('sends everything at once', async (ledger) => {
    await planBatches(ledger, 4);
    for (let n = 0; n < 3; n++) await answer(ledger, defect, 404);
    assert.deepEqual(await resumeRefused(ledger, ACCOUNT.id, AS_IT_IS), { stopped: true, batches: 4 });
    assert.equal((await answer(ledger, accepted('R-1'), 202)).kind, 'accepted');
    assert.deepEqual(await resumeRefused(ledger, ACCOUNT.id, AS_IT_IS), { stopped: false, batches: 0 });
  });

  testLedger('takes everything back where a setting was wrong, and the next run plans all of it', async (ledger) => {
    await planBatches(ledger, 4);
    for (let n = 0; n < 3; n++) await answer(ledger, defect, 400);
    assert.deepEqual(await resumeRefused(ledger, ACCOUNT.id, { release: true, by: 'ops' }), {
      stopped: true,
      batches: 4,
    });
    assert.deepEqual(await listStates(ledger), Array(4).fill('cancelled'));
    await completeRun(ledger, 'again', { a: 'not-modified' });
    await crawled(ledger, 'last', { a: 'not-modified' });
    const plan = await planRun(ledger, 'last' as RunId, { account: ACCOUNT, watch: { ...WATCH, project: 'Other' } });
    assert.deepEqual([plan.urls, plan.batches], [4, 1]);
  });

  testLedger('moves the account to its right address', async (ledger) => {
    await planBatches(ledger, 3);
    for (let n = 0; n < 3; n++) await answer(ledger, defect, 404);
    const moved = { ...ACCOUNT, baseUrl: 'https://right.example/api/v1' };
    await moveAccount(ledger, moved);
    assert.equal((await begin(ledger, await next(ledger), moved)).kind, 'send');
  });
});

describe('computeRefusalWait', () => {
  test('grows from a quarter of an hour to six hours', () => {
    assert.deepEqual([1, 3, 4, 20].map(computeRefusalWait), [15 * MINUTE, 15 * MINUTE, 30 * MINUTE, 6 * HOUR]);
  });
});
