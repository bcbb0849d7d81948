import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  HOUR,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { Reference, RunId, WatchId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { recordReconciled } from '../batches/record-reconciled.ts';
import { reviewBatch } from '../batches/review-batch.ts';
import { confirmAccount } from '../money/confirm-account.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { getAccountTotals, listRuns } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { holdSpending, releaseHistoryHold } from './history-hold.ts';
import { listOpenSubmissions, recordPoll } from './record-poll.ts';
import { type PastJob, recoverJob } from './recover.ts';
import { recordUrlResults, settleJob } from './settle-job.ts';

const where = { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl };
const job = (reference: string, paths: readonly string[], over: Partial<PastJob> = {}): PastJob => ({
  reference: reference as Reference,
  state: 'completed',
  terminal: true,
  service: 'standard',
  project: 'Shop [sc00112233445566]',
  createdAt: Date.UTC(2026, 0, 2),
  charge: (paths.length * 250_000) as Micros,
  urls: paths.map((path) => ({ url: shopUrl(path), result: 'open', reason: null })),
  ...over,
});

describe('recover', () => {
  testLedger('a job without a charge counts at the price that is known', async (ledger) => {
    await confirmAccount(ledger, ACCOUNT.id, {
      identity: null,
      prices: { standard: 300_000 as Micros, fast: null },
    });
    await recoverJob(ledger, where, job('R-1', ['1', '2'], { charge: null }));
    const { chargedThisMonth, unknownChargeUrls } = await getAccountTotals(ledger, ACCOUNT.id);
    assert.deepEqual([chargedThisMonth, unknownChargeUrls], [600_000, 0]);
  });

  testLedger('a job that is partial on the way is followed, and its later results count', async (ledger) => {
    const urls = (['failed', 'open', 'completed'] as const).map((result, n) => ({
      ...{ url: shopUrl(String(n)), result, reason: null },
    }));
    await recoverJob(ledger, where, job('R-1', [], { state: 'partial', terminal: false, urls }));
    const getStates = () =>
      Promise.all(urls.map(async ({ url }) => (await getUrlHistory(ledger, url))[0]?.state ?? null));
    assert.deepEqual(await getStates(), ['submitted', 'submitted', 'submitted']);
    const reference = 'R-1' as Reference;
    const results = urls.map(({ url }) => ({ url, result: 'completed', reason: null }) as const);
    await recordUrlResults(ledger, ACCOUNT.id, reference, results);
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed', 'partial'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 3, afterMs: 0 } });
    assert.deepEqual(await getStates(), ['completed', 'completed', 'completed']);
  });

  for (const [what, state, results] of [
    ['a page that an ended job failed', 'partial', ['failed', 'completed']],
    ['a page of a job that failed as a whole', 'failed', ['open', 'completed']],
  ] as const)
    testLedger(`${what} is bought again as its watch buys failed pages`, async (ledger) => {
      const plan = async (run: string) => {
        await crawled(ledger, run, { a: ['1', '2'] });
        const { urls } = await planRun(ledger, run as RunId, input);
        await endRun(ledger, run as RunId, 'finished');
        return urls;
      };
      const urls = ['1', '2'].map((path, n) => ({ url: shopUrl(path), result: results[n]!, reason: null }));
      const createdAt = ledger.now() - HOUR;
      await recoverJob(ledger, where, job('R-1', [], { state, urls, createdAt }));
      assert.equal(await plan('r1'), 0, 'it may have failed a moment ago');
      ledger.pass(WATCH.retryFailed.afterMs);
      assert.equal(await plan('r2'), 1);
    });

  testLedger('a job that completed a page ends its failures in a row', async (ledger) => {
    for (const [reference, state] of [
      ['R-1', 'failed'],
      ['R-2', 'completed'],
      ['R-3', 'failed'],
    ] as const)
      await recoverJob(ledger, where, job(reference, ['1'], { state, createdAt: ledger.now() }));
    assert.match((await getUrlHistory(ledger, shopUrl('1')))[0]?.reason ?? '', /^failed once/);
  });

  testLedger('a job without a charge counts as soon as a price is known', async (ledger) => {
    await recoverJob(ledger, where, job('R-1', ['1', '2'], { charge: null }));
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedThisMonth, 0);
    await confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: { standard: 300_000 as Micros, fast: null } });
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedThisMonth, 600_000);
  });

  testLedger('a job whose URLs the ledger knows adds no run', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1', '2'] });
    const runs = async () => (await listRuns(ledger, WATCH.id)).map(({ run }) => run);
    await recoverJob(ledger, where, job('R-1', ['1', '2']));
    assert.deepEqual(await runs(), ['r1']);
    await recoverJob(ledger, where, job('R-2', ['2', '3']));
    assert.equal((await runs()).length, 2);
  });

  testLedger('a job with URLs of a batch that needs review leaves that to the operator', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await reviewBatch(ledger, batch!.id, { code: 'lookup_refused', text: 'no' });
    const createdAt = ledger.now();
    assert.equal((await recoverJob(ledger, where, job('R-1', ['1'], { createdAt }))).kind, 'recovered');
    const [line] = await listBatches(ledger, { batch: batch!.id });
    assert.deepEqual([line?.state, /list cannot be read/.test(line?.reason ?? '')], ['needs_review', true]);
  });

  for (const [what, paths, kind] of [
    ['some of the URLs of a batch takes it back', ['1'], 'recovered'],
    ['exactly the URLs of a batch is that batch', ['1', '2'], 'answered'],
  ] as const) {
    testLedger(`a job with ${what}, although another watch has planned it`, async (ledger) => {
      const news = { ...WATCH, id: 'news' as WatchId };
      await crawled(ledger, 'r1', { a: ['1', '2'] }, { watch: news.id });
      await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: news });
      await endRun(ledger, 'r1' as RunId, 'finished');
      const recovered = await recoverJob(ledger, where, job('R-1', paths, { createdAt: ledger.now() }));
      assert.equal(recovered.kind, kind);
      assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, []);
      await crawled(ledger, 'r2', { a: ['1', '2'] }, { watch: news.id });
      const { urls } = await planRun(ledger, 'r2' as RunId, { account: ACCOUNT, watch: news });
      assert.equal(urls, 2 - paths.length);
    });
  }

  testLedger("URLs in the service's history are not bought again after a lost disk", async (ledger) => {
    const jobs = [
      job('R-1', ['1', '2', '3']),
      job('R-2', ['3'], { createdAt: Date.UTC(2026, 0, 5) }),
      job('R-3', ['4', '4'], { state: 'processing', terminal: false }),
    ];
    for (const each of jobs) assert.equal((await recoverJob(ledger, where, each)).kind, 'recovered');
    for (const each of jobs) assert.equal((await recoverJob(ledger, where, each)).kind, 'known');
    const diff = await crawled(ledger, 'r1', { a: [['1', '2026-01-01'], '2', '3', '4', '5'] });
    assert.deepEqual([diff.found, diff.new, diff.gone], [5, 1, 0]);
    const plan = await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    assert.equal(plan.urls, 1, 'only the fifth');
    assert.equal(plan.basis, 'learned');
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedThisMonth, 1_500_000);
    const [third] = await getUrlHistory(ledger, shopUrl('3'));
    assert.deepEqual(
      [third!.generation, third!.state, third!.purchases.map(({ reference }) => reference)],
      [2, 'completed', ['R-1', 'R-2']],
    );
    const open = await listOpenSubmissions(ledger, ACCOUNT.id);
    assert.deepEqual(
      open.map(({ reference, state }) => [reference, state]),
      [['R-3', 'processing']],
    );
  });

  testLedger('a URL that changes after the recovery is bought as the next generation', async (ledger) => {
    await recoverJob(ledger, where, job('R-1', ['1']));
    await completeRun(ledger, 'r1', { a: [['1', '2026-01-01']] });
    await crawled(ledger, 'r2', { a: [['1', '2026-01-09']] });
    assert.equal((await planRun(ledger, 'r2' as RunId, { account: ACCOUNT, watch: WATCH })).urls, 1);
    assert.equal((await getUrlHistory(ledger, shopUrl('1')))[0]!.generation, 2);
  });

  const input = { account: ACCOUNT, watch: WATCH };
  const pending = async (ledger: TestLedger) => (await listPendingBatches(ledger, ACCOUNT.id)).batches;
  const find = async (ledger: TestLedger, path: string) => (await getUrlHistory(ledger, shopUrl(path)))[0];

  testLedger('a waiting batch is matched to a job by its URLs when the list shows no project', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3'] });
    await planRun(ledger, 'r1' as RunId, input);
    const createdAt = ledger.now() + HOUR;
    ledger.pass(30 * HOUR);
    const taken = await recoverJob(ledger, where, job('R-1', ['3', '1/', '2'], { project: 'Shop', createdAt }));
    assert.equal(taken.kind, 'answered');
    const [batch] = await listBatches(ledger);
    assert.deepEqual([batch?.state, batch?.reference, batch?.acceptedAt], ['accepted', 'R-1', createdAt]);
    assert.deepEqual(await pending(ledger), []);
  });

  testLedger('a batch whose halves were accepted is withdrawn, and no URL is bought twice', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3', '4', '5'] });
    await planRun(ledger, 'r1' as RunId, input);
    await endRun(ledger, 'r1' as RunId, 'finished');
    const later = { createdAt: ledger.now() + HOUR };
    ledger.pass(30 * HOUR);
    await recoverJob(ledger, where, job('R-1', ['1', '2'], later));
    await recoverJob(ledger, where, job('R-2', ['3', '4'], later));
    assert.deepEqual(await pending(ledger), []);
    await crawled(ledger, 'r2', { a: ['1', '2', '3', '4', '5'] });
    assert.equal((await planRun(ledger, 'r2' as RunId, input)).urls, 1, 'only the fifth is due');
  });

  testLedger('a sent batch is not sent again when a job has some of its URLs', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3', '4'] });
    await planRun(ledger, 'r1' as RunId, input);
    const [batch] = await pending(ledger);
    await beginSend(ledger, batch!.id, input);
    await recoverJob(ledger, where, job('R-1', ['1', '2'], { createdAt: ledger.now() }));
    const line = (await listBatches(ledger)).find(({ batch: id }) => id === batch!.id);
    assert.deepEqual([line?.state, line?.inDoubtSince !== null], ['needs_review', true]);
  });

  testLedger('an old purchase replaces neither a newer one nor the plan for a changed URL', async (ledger) => {
    await recoverJob(ledger, where, job('R-2', ['1'], { createdAt: Date.UTC(2026, 0, 10) }));
    await completeRun(ledger, 'r1', { a: [['1', '2026-01-10']] });
    await crawled(ledger, 'r2', { a: [['1', '2026-01-14']] });
    await recoverJob(ledger, where, job('R-1', ['1'], { createdAt: Date.UTC(2026, 0, 2), state: 'failed' }));
    assert.deepEqual([(await find(ledger, '1'))?.state, (await find(ledger, '1'))?.due], ['completed', 'changed']);
    assert.equal((await planRun(ledger, 'r2' as RunId, input)).urls, 1);
    await recoverJob(ledger, where, job('R-0', ['1'], { createdAt: Date.UTC(2026, 0, 1) }));
    assert.equal((await pending(ledger)).length, 1, 'the plan for the changed page stays');
  });

  testLedger("a URL that differs only in its final slash is matched to the sitemap's URL", async (ledger) => {
    await crawled(ledger, 'r1', { a: ['p/1', 'p/2'] });
    await recoverJob(ledger, where, job('R-1', ['p/1/', 'p/2/']));
    assert.equal((await planRun(ledger, 'r1' as RunId, input)).urls, 0);
  });

  testLedger("jobs have the service's time, but never one in the future", async (ledger) => {
    await recoverJob(ledger, where, job('R-1', ['1'], { createdAt: Date.UTC(2025, 10, 3) }));
    await recoverJob(ledger, where, job('R-2', ['2'], { createdAt: ledger.now() + 36 * HOUR }));
    const totals = await getAccountTotals(ledger, ACCOUNT.id);
    assert.deepEqual([totals.chargedToday, totals.chargedEver], [250_000, 500_000]);
    assert.deepEqual(
      (await listBatches(ledger)).map(({ acceptedAt }) => acceptedAt),
      [ledger.now(), Date.UTC(2025, 10, 3)],
    );
  });

  testLedger('a URL without a result in an ended job is bought again when it changes', async (ledger) => {
    await recoverJob(ledger, where, job('R-1', ['1'], { state: 'partial' }));
    await completeRun(ledger, 'r1', { a: [['1', '2026-01-10']] });
    await crawled(ledger, 'r2', { a: [['1', '2026-01-14']] });
    assert.equal((await planRun(ledger, 'r2' as RunId, input)).urls, 1);
  });

  testLedger('the parts of a batch from a restored copy are looked up before they are sent', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3', '4'] });
    await planRun(ledger, 'r1' as RunId, input);
    const [batch] = await pending(ledger);
    ledger.pass(30 * HOUR);
    assert.equal((await beginSend(ledger, batch!.id, input)).kind, 'reconcile');
    await recordReconciled(ledger, batch!.id, { kind: 'absent' });
    const sending = await beginSend(ledger, batch!.id, input);
    assert.ok(sending.kind === 'send');
    const split = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;
    await recordAnswer(ledger, batch!.id, { attempt: sending.attempt, outcome: split, status: 413, requestId: null });
    for (const part of await pending(ledger)) assert.equal((await beginSend(ledger, part.id, input)).kind, 'reconcile');
  });

  testLedger('nothing is sent while an account is held, and everything afterwards', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, input);
    const [batch] = await pending(ledger);
    await holdSpending(ledger, ACCOUNT.id, { code: 'recovering', references: [] });
    const held = await beginSend(ledger, batch!.id, input);
    assert.ok(held.kind === 'held');
    assert.match(held.reason, /Nothing is sent until it has. Run "courier recover --account main" again; add --accept/);
    await releaseHistoryHold(ledger, ACCOUNT.id, { code: 'recovering', references: [] });
    assert.equal((await beginSend(ledger, batch!.id, input)).kind, 'send');
  });
});
