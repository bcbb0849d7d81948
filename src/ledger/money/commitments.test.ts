import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Micros } from '../../../contract/money.ts';
import { emptyDatabaseUrl } from '../../../test/support/database.ts';
import {
  ACCOUNT,
  accepted,
  completeRun,
  crawled,
  HOUR,
  QUARTER,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { openDatabase } from '../../database/open.ts';
import type { BatchId, RunId, WatchId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { resolveNeedsReview } from '../batches/resolve-review.ts';
import { reviewBatch } from '../batches/review-batch.ts';
import { ledgerOver } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import type { AccountPolicy } from '../policy.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { recordBalance } from './balance.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;
const pages = (count: number, from = 1) => Array.from({ length: count }, (_, n) => String(from + n));
const withSpend = (spend: Partial<AccountPolicy['spend']>): AccountPolicy => ({
  ...ACCOUNT,
  spend: { ...ACCOUNT.spend, ...spend },
});

/** Plans so many new pages as one batch. */
async function plan(ledger: TestLedger, run: string, from: number, count: number, account = ACCOUNT): Promise<BatchId> {
  await crawled(ledger, run, { [run]: pages(count, from) });
  await planRun(ledger, run as RunId, { watch: WATCH, account });
  const batch = (await listPendingBatches(ledger, account.id, { waiting: true })).batches.at(-1);
  assert.ok(batch !== undefined, 'something is planned');
  return batch.id;
}

const begin = (ledger: TestLedger, batch: BatchId, account = ACCOUNT) =>
  beginSend(ledger, batch, { account, watch: WATCH });

async function accept(ledger: TestLedger, batch: BatchId, charge: Micros | null, account = ACCOUNT) {
  const sending = await begin(ledger, batch, account);
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  const outcome = accepted(`R-${batch}`, charge);
  return recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: 202, requestId: null });
}

async function withLedger(t: TestContext, body: (ledger: TestLedger) => Promise<void>): Promise<void> {
  const db = openDatabase(emptyDatabaseUrl(t, 'sqlite'), { synchronous: 'NORMAL' });
  let time = Date.UTC(2026, 0, 15, 6);
  const pass = (ms: number) => {
    time += ms;
  };
  const ledger = await ledgerOver(db, () => time);
  await body({ ...ledger, pass }).finally(() => db.close());
}

describe('commitments of batches in doubt', () => {
  for (const [how, room] of [
    ['release', 4],
    ['leave', 0],
  ] as const) {
    testLedger(
      `a batch in doubt that needs review counts against a cap; resolved with ${how}, ${room} fit`,
      async (ledger) => {
        const capped = withSpend({ perDay: lira(1) });
        const batch = await plan(ledger, 'r1', 1, 4, capped);
        assert.equal((await begin(ledger, batch, capped)).kind, 'send');
        await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'the list does not say' });
        await completeRun(ledger, 'r1', { r1: pages(4) });

        await crawled(ledger, 'r2', { r1: pages(8) });
        const held = await planRun(ledger, 'r2' as RunId, { watch: WATCH, account: capped });
        assert.deepEqual([held.urls, held.held], [0, 4], 'the cap of the day is used up');
        assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).committed, lira(1));

        assert.equal(await resolveNeedsReview(ledger, batch, how), true);
        const { committed, chargedToday } = await getAccountTotals(ledger, ACCOUNT.id);
        assert.deepEqual([committed, chargedToday], [0, how === 'leave' ? lira(1) : 0]);
        await completeRun(ledger, 'r2', { r1: pages(8) });
        await crawled(ledger, 'r3', { r1: pages(8) });
        assert.equal((await planRun(ledger, 'r3' as RunId, { watch: WATCH, account: capped })).urls, room);
      },
    );
  }

  testLedger('a batch that is sent again does not count against itself', async (ledger) => {
    const account = withSpend({ perDay: lira(0.5) });
    const batch = await plan(ledger, 'r1', 1, 2, account);
    assert.equal((await begin(ledger, batch, account)).kind, 'send');
    const again = await begin(ledger, batch, account);
    assert.ok(again.kind === 'send' && again.inDoubt, 'all of the cap is its own');
  });

  testLedger('a batch known to be uncharged does not count', async (ledger) => {
    const batch = await plan(ledger, 'r1', 1, 4);
    const sending = await begin(ledger, batch);
    assert.ok(sending.kind === 'send');
    const outcome = { kind: 'defect', chargeState: 'none', message: 'status 400' } as const;
    await recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: 400, requestId: null });
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).committed, 0);
  });

  testLedger('a commitment counts at the current price after a price rise', async (ledger) => {
    const fast = { ...WATCH, id: 'fast' as WatchId };
    const first = await plan(ledger, 'r1', 1, 4);
    await begin(ledger, first);
    await crawled(ledger, 'f1', { f: pages(8, 100) }, { watch: fast.id });
    const atHigherPrice = {
      ...withSpend({ perDay: lira(4) }),
      pricePerUrl: { standard: lira(0.5), fast: lira(0.5) },
    };
    // 4 TRY, less the 2 TRY that the batch in flight may cost by now.
    const plan2 = await planRun(ledger, 'f1' as RunId, { watch: fast, account: atHigherPrice });
    assert.equal(plan2.urls, 4);
  });

  testLedger('what was charged stays as it was counted when the configured price rises', async (ledger) => {
    const batch = await plan(ledger, 'r1', 1, 4);
    await accept(ledger, batch, lira(1));
    await completeRun(ledger, 'r1', { r1: pages(4) });
    await crawled(ledger, 'r2', { r1: pages(8) });
    const atHigherPrice = {
      ...withSpend({ perDay: lira(3) }),
      pricePerUrl: { standard: lira(0.5), fast: lira(0.5) },
    };
    // 3 TRY, less the 1 TRY that was charged.
    assert.equal((await planRun(ledger, 'r2' as RunId, { watch: WATCH, account: atHigherPrice })).urls, 4);
  });

  testLedger('a charge below the configured price counts at the configured price', async (ledger) => {
    const batch = await plan(ledger, 'r1', 1, 4);
    await accept(ledger, batch, lira(0.4));
    await completeRun(ledger, 'r1', { r1: pages(4) });
    await crawled(ledger, 'r2', { r1: pages(8) });
    const capped = withSpend({ perDay: lira(1) });
    assert.equal((await planRun(ledger, 'r2' as RunId, { watch: WATCH, account: capped })).urls, 0);
  });
});

describe('the balance floor', () => {
  const floored = withSpend({ balanceFloor: lira(100) });

  testLedger('is kept by what is on its way: a batch without an answer counts as charged', async (ledger) => {
    const batch = await plan(ledger, 'r1', 1, 3, floored);
    await completeRun(ledger, 'r1', { r1: pages(3) });
    await plan(ledger, 'r2', 10, 2, floored);
    const { batches } = await listPendingBatches(ledger, ACCOUNT.id, { waiting: true });
    const second = batches.find(({ id }) => id !== batch)!.id;
    await recordBalance(ledger, ACCOUNT.id, lira(101));
    assert.equal((await begin(ledger, batch, floored)).kind, 'send');
    // 1.00 TRY is above the floor, and 0.75 TRY of it may be charged at this moment.
    const refused = await begin(ledger, second, floored);
    assert.ok(refused.kind === 'not-allowed', JSON.stringify(refused));
    assert.match(refused.refusal.message, /leaves 0.25 TRY above its floor/);
    const none = { kind: 'retry', why: 'unavailable', chargeState: 'none', retryAfterMs: null, message: 'x' } as const;
    await recordAnswer(ledger, batch, { attempt: 1, outcome: none, status: 503, requestId: null });
    ledger.pass(15 * 60_000);
    await recordBalance(ledger, ACCOUNT.id, lira(101));
    assert.equal((await begin(ledger, second, floored)).kind, 'send', 'what was surely not charged does not count');
  });

  testLedger('is kept when charges follow the balance reading', async (ledger) => {
    await recordBalance(ledger, ACCOUNT.id, lira(101));
    for (let day = 0; day < 4; day++) {
      ledger.pass(1_000);
      const batch = await plan(ledger, `r${day}`, 1 + day, 1, floored);
      await accept(ledger, batch, QUARTER, floored);
      await completeRun(ledger, `r${day}`, { [`r${day}`]: pages(1, 1 + day) });
    }
    await crawled(ledger, 'r9', { r9: pages(1, 50) });
    const plan9 = await planRun(ledger, 'r9' as RunId, { watch: WATCH, account: floored });
    assert.deepEqual([plan9.urls, plan9.held], [0, 1]);
    assert.match(plan9.heldReason ?? '', /leaves 0.00 TRY above its floor of 100.00 TRY/);
  });

  testLedger('blocks sending while the balance is unread, old, or followed by an unreported charge', async (ledger) => {
    const batch = await plan(ledger, 'r1', 1, 1, floored);
    const refused = async () => {
      const sending = await begin(ledger, batch, floored);
      assert.ok(sending.kind === 'not-allowed', JSON.stringify(sending));
      assert.equal(sending.refusal.reason.code, 'balance_unknown');
      ledger.pass(15 * 60_000);
    };
    await refused();
    await recordBalance(ledger, ACCOUNT.id, lira(500), ledger.now() - HOUR);
    await refused();
    await recordBalance(ledger, ACCOUNT.id, lira(500));
    await accept(ledger, batch, null, floored);

    ledger.pass(1);
    await recordBalance(ledger, ACCOUNT.id, lira(499));
    ledger.pass(1);
    await completeRun(ledger, 'r1', { r1: pages(1) });
    const second = await plan(ledger, 'r2', 2, 1, floored);
    await accept(ledger, second, null, floored);
    await completeRun(ledger, 'r2', { r2: pages(1, 2) });
    ledger.pass(1);
    const third = await plan(ledger, 'r3', 3, 1, floored);
    const sending = await begin(ledger, third, floored);
    assert.ok(sending.kind === 'not-allowed' && sending.refusal.reason.code === 'balance_unknown');
  });
});

test('charges and commitments stay within the cap for every sequence of outcomes', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('accept', 'lose', 'review', 'none', 'wait'), { minLength: 3, maxLength: 8 }),
      async (fates) => {
        await withLedger(t, async (ledger) => {
          const cap = lira(2);
          const capped = withSpend({ perDay: cap });
          const perhapsCharged = new Map<BatchId, number>();
          let at = 1;
          for (const [n, fate] of fates.entries()) {
            await crawled(ledger, `r${n}`, { [`s${n}`]: pages(3, at) });
            at += 3;
            await planRun(ledger, `r${n}` as RunId, { watch: WATCH, account: capped });
            for (const { id, urls } of (await listPendingBatches(ledger, ACCOUNT.id)).batches) {
              const sending = await begin(ledger, id, capped);
              if (sending.kind !== 'send') continue;
              const answer = { attempt: sending.attempt, status: null, requestId: null };
              if (fate === 'none') {
                const outcome = { kind: 'defect', chargeState: 'none', message: 'no' } as const;
                await recordAnswer(ledger, id, { ...answer, outcome });
                continue;
              }
              perhapsCharged.set(id, urls * QUARTER);
              if (fate === 'accept') await recordAnswer(ledger, id, { ...answer, outcome: accepted(`R-${id}`) });
              if (fate === 'review') await reviewBatch(ledger, id, { code: 'lookup_unsure', text: 'unsure' });
              if (fate === 'wait') ledger.pass(HOUR / 4);
            }
            await completeRun(ledger, `r${n}`, { [`s${n}`]: pages(3, at - 3) });
            const possible = [...perhapsCharged.values()].reduce((sum, cost) => sum + cost, 0);
            assert.ok(possible <= cap, `${possible} may have been charged under a cap of ${cap}`);
          }
        });
      },
    ),
    { numRuns: 40 },
  );
});
