import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  completeRun,
  crawled,
  HOUR,
  QUARTER,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import { resolveJob } from '../jobs/settle-job.ts';
import { LedgerError } from '../ledger-error.ts';
import { moveAccount, requireSameService } from '../money/account.ts';
import { getPrice } from '../money/price.ts';
import type { PlanInput } from '../plans/allowance.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { cancelBatch } from './cancel-batch.ts';
import { recordAnswer } from './record-answer.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;
const pages = (count: number, from = 1) => Array.from({ length: count }, (_, n) => String(from + n));
const input: PlanInput = { account: ACCOUNT, watch: WATCH };

async function plan(ledger: TestLedger, run: string, site: readonly string[], by: PlanInput = input): Promise<BatchId> {
  await crawled(ledger, run, { a: site });
  await planRun(ledger, run as RunId, by);
  const batch = (await listPendingBatches(ledger, ACCOUNT.id, { waiting: true })).batches.at(-1);
  assert.ok(batch !== undefined);
  return batch.id;
}

async function send(
  ledger: TestLedger,
  batch: BatchId,
  outcome: Parameters<typeof recordAnswer>[2]['outcome'],
  by = input,
) {
  const sending = await beginSend(ledger, batch, by);
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  return recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: null, requestId: null });
}

const atPrice = (perUrl: number, perRun: number): PlanInput => ({
  account: { ...ACCOUNT, pricePerUrl: { standard: lira(perUrl), fast: null } },
  watch: { ...WATCH, spend: { ...WATCH.spend, perRun: lira(perRun) } },
});

describe('withdrawing unsent batches', () => {
  testLedger('cancelling a planned batch makes its URLs due again for the same reason', async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(3));
    assert.deepEqual(await cancelBatch(ledger, batch, 'ops'), { urls: 3 });
    const [line] = await listBatches(ledger, { batch });
    assert.equal(line?.state, 'cancelled');
    assert.match(line?.reason ?? '', /cancelled by ops before anything was sent/);
    assert.equal((await getUrlHistory(ledger, shopUrl('1')))[0]?.due, 'new');
    assert.equal((await beginSend(ledger, batch, input)).kind, 'closed');

    await completeRun(ledger, 'r1', { a: pages(3) });
    const again = await plan(ledger, 'r2', pages(3));
    const [first, second] = await Promise.all([batch, again].map((id) => listBatches(ledger, { batch: id })));
    assert.notEqual(first?.[0]?.key, second?.[0]?.key);
    assert.equal((await send(ledger, again, accepted('R-1'))).kind, 'accepted');
  });

  testLedger('a cancelled batch has no next attempt', async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(2));
    await ledger.db.run({
      strings: [`UPDATE batches SET waits_since = 0, not_before = ${ledger.now() + 1}`],
      parts: [],
    });
    await cancelBatch(ledger, batch, 'ops');
    const [line] = await listBatches(ledger, { batch });
    assert.deepEqual([line?.state, line?.notBefore], ['cancelled', null]);
  });

  testLedger('a batch that may have been charged cannot be cancelled', async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(3));
    assert.equal((await beginSend(ledger, batch, input)).kind, 'send');
    await assert.rejects(
      cancelBatch(ledger, batch, 'ops'),
      (error) =>
        error instanceof LedgerError && error.code === 'WRONG_STATE' && /may be charged already/.test(error.message),
    );
    assert.equal((await listBatches(ledger, { batch }))[0]?.state, 'sending');
  });

  testLedger(
    'a batch that a price rise takes over its cap is withdrawn, and the URLs within the cap are planned',
    async (ledger) => {
      const batch = await plan(ledger, 'r1', pages(10), atPrice(0.25, 2.5));
      const sending = await beginSend(ledger, batch, atPrice(0.3, 2.5));
      assert.ok(sending.kind === 'closed' && sending.state === 'cancelled', JSON.stringify(sending));
      assert.match(sending.reason ?? '', /taken back.*per run of 2.50 TRY.*due again/);
      await completeRun(ledger, 'r1', { a: pages(10) });
      await crawled(ledger, 'r2', { a: pages(10) });
      const next = await planRun(ledger, 'r2' as RunId, atPrice(0.3, 2.5));
      assert.deepEqual([next.urls, next.held], [8, 2]);
    },
  );

  testLedger('--max-cost holds when the batch is sent, not only when it is planned', async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(4), { ...input, maxCost: lira(1) });
    const fourfold = { ...input, account: { ...ACCOUNT, pricePerUrl: { standard: lira(1), fast: null } } };
    const sending = await beginSend(ledger, batch, fourfold);
    assert.ok(sending.kind === 'closed' && sending.state === 'cancelled');
    assert.match(sending.reason ?? '', /per run of 1.00 TRY/);
  });

  testLedger('a batch of a removed watch is withdrawn; one in doubt needs review', async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(2));
    const gone = await beginSend(ledger, batch, { account: ACCOUNT, watch: null });
    assert.ok(gone.kind === 'closed' && gone.state === 'cancelled');
    await completeRun(ledger, 'r1', { a: pages(2) });
    const second = await plan(ledger, 'r2', pages(2));
    assert.equal((await beginSend(ledger, second, input)).kind, 'send');
    const lost = await beginSend(ledger, second, { account: ACCOUNT, watch: null });
    assert.ok(lost.kind === 'closed' && lost.state === 'needs_review');
    assert.notEqual((await listBatches(ledger, { batch: second }))[0]?.inDoubtSince, null);
  });
});

testLedger(
  'a gateway that responds with 413 to everything costs a few requests and quarantines nothing',
  async (ledger) => {
    await plan(ledger, 'r1', pages(128));
    let requests = 0;
    for (;;) {
      const next = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0];
      if (next === undefined) break;
      requests += 1;
      const none = { chargeState: 'none', message: '413' } as const;
      await send(
        ledger,
        next.id,
        next.urls > 1 ? { kind: 'split', why: 'too-large', ...none } : { kind: 'defect', ...none },
      );
    }
    assert.ok(requests <= 16, `${requests} requests`);
    const { quarantined } = await ledger.db.one<{ quarantined: number }>({
      strings: [`SELECT count(*) AS quarantined FROM urls WHERE state = 'quarantined'`],
      parts: [],
    });
    assert.equal(quarantined, 0);
  },
);

testLedger('an operator resolves an overdue job: its URLs are due again, or count as bought', async (ledger) => {
  for (const [how, due] of [
    ['release', 'released'],
    ['leave', null],
  ] as const) {
    const batch = await plan(ledger, how, [how]);
    await send(ledger, batch, accepted(`R-${how}`));
    await resolveJob(ledger, ACCOUNT.id, `R-${how}` as Reference, how, { retryFailed: null });
    const [history] = await getUrlHistory(ledger, shopUrl(how));
    assert.deepEqual([history?.due ?? null, history?.state], [due, how === 'release' ? 'held' : 'known']);
    await assert.rejects(
      resolveJob(ledger, ACCOUNT.id, `R-${how}` as Reference, how, { retryFailed: null }),
      /has ended/,
    );
    await completeRun(ledger, how, { a: [how] });
  }
});

testLedger('a charge equal to the price of one URL is read as a unit price', async (ledger) => {
  const batch = await plan(ledger, 'r1', pages(4));
  await send(ledger, batch, accepted('R-1', QUARTER));
  assert.equal((await listBatches(ledger, { batch }))[0]?.charge, lira(1));
});

testLedger('an old acceptance repeated after a price rise does not restore the old price', async (ledger) => {
  const old = await plan(ledger, 'r1', pages(2));
  assert.equal((await beginSend(ledger, old, input)).kind, 'send');
  await completeRun(ledger, 'r1', { a: pages(2) });
  ledger.pass(HOUR);
  const second = await plan(ledger, 'r2', pages(6));
  await send(ledger, second, accepted('R-2', lira(2)));
  ledger.pass(HOUR);
  await send(ledger, old, { ...accepted('R-1', lira(0.5)), replay: true });
  assert.equal((await getPrice(ledger.db, ACCOUNT.id, 'standard', null)).perUrl, lira(0.5));
});

testLedger('an account belongs to one service until an operator confirms its new address', async (ledger) => {
  await send(ledger, await plan(ledger, 'r0', pages(1)), accepted('R-1', QUARTER));
  await completeRun(ledger, 'r0', { a: pages(1) });
  const batch = await plan(ledger, 'r1', pages(2));
  const moved = { ...ACCOUNT, baseUrl: 'https://new.example/api/v1' };
  assert.equal((await beginSend(ledger, batch, { account: moved, watch: WATCH })).kind, 'other-service');
  await assert.rejects(requireSameService(ledger.db, moved), /Use a new account name for another service/);
  await completeRun(ledger, 'r1', { a: pages(2) });
  await crawled(ledger, 'r2', { a: pages(3) });
  await assert.rejects(
    planRun(ledger, 'r2' as RunId, { account: moved, watch: WATCH }),
    /belongs to https:\/\/service.example/,
  );
  await moveAccount(ledger, moved);
  assert.equal((await beginSend(ledger, batch, { account: moved, watch: WATCH })).kind, 'send');
});

testLedger(
  'an address at which nothing was bought binds nobody: what was planned for it is due again',
  async (ledger) => {
    const batch = await plan(ledger, 'r1', pages(2));
    const corrected = { ...ACCOUNT, baseUrl: 'https://service.example/api/v2' };
    assert.equal((await beginSend(ledger, batch, { account: corrected, watch: WATCH })).kind, 'closed');
    assert.match((await listBatches(ledger, { batch }))[0]?.reason ?? '', /nothing was ever bought/);
    await completeRun(ledger, 'r1', { a: pages(2) });
    await crawled(ledger, 'r2', { a: pages(2) });
    assert.equal((await planRun(ledger, 'r2' as RunId, { account: corrected, watch: WATCH })).urls, 2);
  },
);

testLedger('a batch that may be charged at another address is not sent to this one', async (ledger) => {
  const batch = await plan(ledger, 'r1', pages(2));
  assert.equal((await beginSend(ledger, batch, input)).kind, 'send');
  const corrected = { ...ACCOUNT, baseUrl: 'https://service.example/api/v2' };
  const again = await beginSend(ledger, batch, { account: corrected, watch: WATCH });
  assert.ok(again.kind === 'closed' && again.state === 'needs_review');
});
