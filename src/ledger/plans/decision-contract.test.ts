import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  NO_GUARD,
  previewRun,
  QUARTER,
  sendOne,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, RunId } from '../../submission/ids.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordBalance } from '../money/balance.ts';
import { confirmAccount } from '../money/confirm-account.ts';
import type { Ledger } from '../open-ledger.ts';
import { applyPlans } from '../plans/apply-plans.ts';
import { planRun } from '../plans/make-plan.ts';
import { decideRun } from '../runs/decide-run.ts';
import { endRun } from '../runs/runs.ts';
import { judgeRun } from './judge-run.ts';
import { releaseCovered } from './release-covered.ts';

const run = (name: string) => name as RunId;
const input = { account: ACCOUNT, watch: WATCH };
const pages = (from: number, count: number) => Array.from({ length: count }, (_, n) => `p/${from + n}`);
const tenNew = { ...NO_GUARD, maxNew: 10 };
const policy = { account: ACCOUNT, watch: WATCH };

/** `GET /me` shows a higher price. */
const raisePrice = (ledger: Ledger, price: number) =>
  confirmAccount(ledger, ACCOUNT.id as AccountId, {
    identity: null,
    prices: { standard: price as Micros, fast: null },
  });

const listPlanned = async (ledger: Ledger) =>
  (await ledger.db.all(sql<{ id: BatchId }>`SELECT id FROM batches WHERE state = 'planned' ORDER BY id`)).map(
    ({ id }) => id,
  );

const countDue = async (ledger: Ledger) =>
  (await ledger.db.one(sql<{ urls: number }>`SELECT count(*) AS urls FROM urls WHERE due IS NOT NULL`)).urls;

/** A run that a guard holds with 20 new URLs for 5.00 TRY. */
async function holdTwenty(ledger: Ledger) {
  await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
  await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
  return judgeRun(ledger, run('r2'), tenNew, { input });
}

describe('a decision on a held run', () => {
  testLedger('is asked about all that it buys: also what an earlier, rejected run found', async (ledger) => {
    const first = await holdTwenty(ledger);
    assert.deepEqual(first?.forecast, { urls: 20, cost: 20 * QUARTER, allowed: 20 });
    await decideRun(ledger, run('r2'), 'rejected', 'ali');
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 21)] });
    const second = await judgeRun(ledger, run('r3'), tenNew, { input });
    assert.deepEqual(second?.forecast, { urls: 21, cost: 21 * QUARTER, allowed: 21 });
    await decideRun(ledger, run('r3'), 'approved', 'ayşe');
    const { urls, cost } = await planRun(ledger, run('r3'), input);
    assert.deepEqual([urls, cost], [21, 21 * QUARTER]);
  });

  testLedger('buys for no more money than was shown; the rest stays due, and is judged again', async (ledger) => {
    await holdTwenty(ledger);
    await raisePrice(ledger, 4 * QUARTER);
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    const plan = await planRun(ledger, run('r2'), input);
    assert.deepEqual([plan.urls, plan.cost, plan.held], [5, 20 * QUARTER, 15]);
    assert.match(
      plan.heldReason ?? '',
      /what was decided on for this run is 20 URLs for 5.00 TRY at most, which allows 5 of 20/,
    );
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 20)] });
    const next = await judgeRun(ledger, run('r3'), tenNew, { input });
    assert.deepEqual(next?.forecast, { urls: 15, cost: 60 * QUARTER, allowed: 15 });
  });

  testLedger('buys no more pages than were shown, however cheap they become', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    const dear = { ...input, account: { ...ACCOUNT, pricePerUrl: { standard: (4 * QUARTER) as Micros, fast: null } } };
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
    await judgeRun(ledger, run('r2'), tenNew, { input: dear });
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    await ledger.db.run(sql`UPDATE runs SET decided_urls = 12 WHERE name = 'r2'`);
    const plan = await planRun(ledger, run('r2'), input);
    assert.deepEqual([plan.urls, plan.held], [12, 8]);
    assert.match(plan.heldReason ?? '', /is 12 URLs for 20.00 TRY at most, which allows 12 of 20/);
  });

  testLedger('is asked again before anything is sent', async (ledger) => {
    await holdTwenty(ledger);
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    await planRun(ledger, run('r2'), input);
    const [batch] = await listPlanned(ledger);
    await raisePrice(ledger, 4 * QUARTER);
    const sending = await beginSend(ledger, batch!, policy);
    assert.equal(sending.kind, 'closed');
    assert.match(
      sending.kind === 'closed' ? (sending.reason ?? '') : '',
      /20 URLs for 5.00 TRY at most.*20.00 TRY is needed/,
    );
    assert.equal(await countDue(ledger), 20);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 20)] });
    assert.equal((await judgeRun(ledger, run('r3'), tenNew, { input }))?.forecast.cost, 80 * QUARTER);
  });

  testLedger('bounds no later run: what a cap kept back of it follows without a question', async (ledger) => {
    const capped = { ...input, watch: { ...WATCH, spend: { ...WATCH.spend, perRun: (12 * QUARTER) as Micros } } };
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
    const hold = await judgeRun(ledger, run('r2'), tenNew, { input: capped });
    assert.deepEqual(hold?.forecast, { urls: 20, cost: 20 * QUARTER, allowed: 12 });
    await decideRun(ledger, run('r2'), 'approved', 'ayşe');
    assert.equal((await planRun(ledger, run('r2'), capped)).urls, 12);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['0', ...pages(0, 20)] });
    assert.equal(await judgeRun(ledger, run('r3'), tenNew, { input: capped }), null);
    assert.equal((await planRun(ledger, run('r3'), capped)).urls, 8);
  });
});

describe('a reviewed plan', () => {
  testLedger('is sent for what it said, or taken back', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 10) });
    const preview = await previewRun(ledger, run('r1'), input);
    await endRun(ledger, run('r1'), 'previewed');
    await applyPlans(ledger, [{ run: run('r1'), input, digest: preview.digest }], { approvedBy: null });
    await raisePrice(ledger, 4 * QUARTER);
    const [batch] = await listPlanned(ledger);
    assert.equal((await beginSend(ledger, batch!, policy)).kind, 'closed');
    assert.equal(await countDue(ledger), 10);
  });

  testLedger('that a part of was charged more keeps the rest back', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 5_001) });
    const preview = await previewRun(ledger, run('r1'), input);
    await endRun(ledger, run('r1'), 'previewed');
    await applyPlans(ledger, [{ run: run('r1'), input, digest: preview.digest }], { approvedBy: null });
    const [first, second] = await listPlanned(ledger);
    await sendOne(ledger, first!, (2 * QUARTER) as Micros);
    assert.equal((await beginSend(ledger, second!, policy)).kind, 'closed');
  });
});

describe('a run that only money holds', () => {
  const floor = (10 * 4 * QUARTER) as Micros;
  const floored = { ...input, account: { ...ACCOUNT, spend: { ...ACCOUNT.spend, balanceFloor: floor } } };
  const topUp = (ledger: Ledger, amount: number) => () =>
    recordBalance(ledger, ACCOUNT.id as AccountId, amount as Micros, ledger.now());

  async function holdForMoney(ledger: Ledger) {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await topUp(ledger, floor)();
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
    return judgeRun(ledger, run('r2'), NO_GUARD, { input: floored });
  }

  testLedger('goes on by itself after a top-up, with all that was shown', async (ledger) => {
    const hold = await holdForMoney(ledger);
    assert.deepEqual(hold?.forecast, { urls: 20, cost: 20 * QUARTER, allowed: 0 });
    assert.equal(await releaseCovered(ledger, run('r2'), floored, topUp(ledger, floor)), false);
    assert.equal(await releaseCovered(ledger, run('r2'), floored, topUp(ledger, floor + 20 * QUARTER)), true);
    assert.equal((await planRun(ledger, run('r2'), floored)).urls, 20);
  });

  testLedger('is not held when the service shows the top-up at that moment', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await topUp(ledger, floor)();
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
    const refresh = topUp(ledger, floor + 20 * QUARTER);
    assert.equal(await judgeRun(ledger, run('r2'), NO_GUARD, { input: floored, refresh }), null);
  });

  testLedger('waits for an operator where a guard asks, too', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['0'] }, { firstRun: 'baseline' });
    await topUp(ledger, floor)();
    await crawled(ledger, 'r2', { a: ['0', ...pages(0, 20)] });
    await judgeRun(ledger, run('r2'), tenNew, { input: floored });
    assert.equal(await releaseCovered(ledger, run('r2'), floored, topUp(ledger, 1_000 * floor)), false);
  });
});
