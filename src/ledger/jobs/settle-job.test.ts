import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, crawled, DAY, sendAll, shopUrl, testLedger, WATCH } from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { formatVersion } from '../../url/version.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { resolveNeedsReview } from '../batches/resolve-review.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatchUrls } from '../reports/batch-urls.ts';
import { listBatches } from '../reports/lists.ts';
import { getRunSummary } from '../reports/run-summary.ts';
import { getAccountTotals, listRuns } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { listQuarantined, releaseUrl } from './quarantine.ts';
import { listOpenSubmissions, recordPoll } from './record-poll.ts';
import { recordUrlResults, settleJob } from './settle-job.ts';

const run = (name: string) => name as RunId;
const policies = { account: ACCOUNT, watch: WATCH };
const retryFailed = { times: 1, afterMs: DAY };
const terminalStates = ['completed', 'partial', 'failed'];

describe('settle job', () => {
  testLedger('a partial job gives each URL its own result; an unknown status never buys again', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3'] });
    await planRun(ledger, run('r1'), policies);
    const [reference] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'partial', terminalStates });
    assert.equal((await listOpenSubmissions(ledger, ACCOUNT.id)).length, 1);
    const matched = await recordUrlResults(ledger, ACCOUNT.id, reference!, [
      { url: shopUrl('1'), result: 'completed', reason: null },
      { url: shopUrl('2'), result: 'failed', reason: 'blocked by robots.txt' },
      { url: shopUrl('3'), result: 'open', reason: 'pondering' },
      { url: 'https://elsewhere.example/', result: 'failed', reason: null },
    ]);
    assert.deepEqual(matched, { matched: 3, unknown: 1 });
    const settle = () => settleJob(ledger, ACCOUNT.id, reference!, { retryFailed });
    const once = await settle();
    assert.deepEqual(once, { completed: 1, failed: 1, open: 1, again: 1, quarantined: 0 });
    assert.deepEqual(await settle(), once);
    assert.deepEqual(await listOpenSubmissions(ledger, ACCOUNT.id), []);
    const [failed] = await getUrlHistory(ledger, shopUrl('2'));
    assert.deepEqual([failed!.state, failed!.reason, failed!.due], ['failed', 'blocked by robots.txt', 'retry']);
    const [open] = await getUrlHistory(ledger, shopUrl('3'));
    assert.deepEqual([open!.due, open!.reason], [null, 'its job ended partial without a result for it']);
    assert.equal(open!.purchases[0]!.resultReason, 'pondering');
    const summary = await getRunSummary(ledger, run('r1'));
    assert.deepEqual([summary.completed, summary.failed, summary.open], [1, 1, 1]);
  });

  testLedger(
    'a URL that the service returns with a slash or unescaped has its result, in its own job',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: ['caf%C3%A9'] });
      await planRun(ledger, run('r1'), policies);
      const [first] = await sendAll(ledger);
      await endRun(ledger, run('r1'), 'finished');
      await crawled(ledger, 'r2', { a: ['caf%C3%A9', 'tea'] });
      await planRun(ledger, run('r2'), policies);
      const [second] = await sendAll(ledger);
      const result = (path: string) =>
        ({ url: `https://shop.example/${path}`, result: 'completed', reason: null }) as const;
      const record = (reference: typeof first, path: string) =>
        recordUrlResults(ledger, ACCOUNT.id, reference!, [result(path)]);
      assert.deepEqual(await record(second, 'café/'), { matched: 0, unknown: 1 }, 'it is in the other job');
      assert.deepEqual(await record(second, 'tea/'), { matched: 1, unknown: 0 });
      assert.deepEqual(await record(first, 'café/'), { matched: 1, unknown: 0 });
    },
  );

  testLedger('a settled job counts each of its URLs', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2', '3', '4', '5'] });
    await planRun(ledger, run('r1'), policies);
    const [reference] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'partial', terminalStates });
    const result = (path: string, result: 'completed' | 'failed') => ({ url: shopUrl(path), result, reason: null });
    const results = [result('1', 'completed'), result('2', 'completed'), result('3', 'failed'), result('4', 'failed')];
    await recordUrlResults(ledger, ACCOUNT.id, reference!, results);
    const settled = await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed });
    assert.deepEqual(settled, { completed: 2, failed: 2, open: 1, again: 2, quarantined: 0 });
  });

  testLedger('failures are counted in a row: a completed purchase begins at zero again', async (ledger) => {
    const states: string[] = [];
    const outcomes = ['failed', 'completed', 'failed', 'completed', 'failed', 'failed'] as const;
    for (const [n, result] of outcomes.entries()) {
      await crawled(ledger, `r${n}`, { a: [['1', `2026-01-${10 + n}`]] });
      await planRun(ledger, run(`r${n}`), policies);
      const [reference] = await sendAll(ledger);
      await recordPoll(ledger, ACCOUNT.id, reference!, { state: result, terminalStates });
      await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed });
      await endRun(ledger, run(`r${n}`), 'finished');
      const [url] = await getUrlHistory(ledger, shopUrl('1'));
      states.push(url!.state);
      ledger.pass(2 * DAY);
    }
    // One retry is allowed: only the second failure in a row is one too many.
    assert.deepEqual(states, ['failed', 'completed', 'failed', 'completed', 'failed', 'quarantined']);
  });

  testLedger('the history of a URL has its places, times, charges and references', async (ledger) => {
    await crawled(ledger, 'r1', { 'https://shop.example/sitemap.xml': [['1', '2026-01-01'], '2'] });
    await planRun(ledger, run('r1'), policies);
    const [reference] = await sendAll(ledger);
    const [history] = await getUrlHistory(ledger, shopUrl('1'));
    assert.equal(history!.state, 'submitted');
    assert.deepEqual(
      [history!.sitemap, formatVersion(history!.version!), history!.firstRun?.run],
      ['https://shop.example/sitemap.xml', '2026-01-01', 'r1'],
    );
    const [purchase] = history!.purchases;
    assert.deepEqual(
      [purchase!.generation, purchase!.reference, purchase!.charge, purchase!.requestIds.length],
      [1, reference, 250_000, 1],
    );
    assert.match(purchase!.key!, /^sc1-[0-9a-f]{40}$/);
    assert.deepEqual(await getUrlHistory(ledger, shopUrl('nowhere')), []);
    const [line] = await listBatches(ledger, { run: run('r1') });
    assert.deepEqual([line!.state, line!.urls, line!.charge], ['accepted', 2, 500_000]);
    assert.deepEqual(
      (await listBatchUrls(ledger, line!.batch)).map(({ url }) => url),
      [shopUrl('1'), shopUrl('2')],
    );
    const totals = await getAccountTotals(ledger, ACCOUNT.id);
    assert.deepEqual([totals.chargedToday, totals.open, totals.price.standard.basis], [500_000, 1, 'learned']);
    assert.equal((await listRuns(ledger, WATCH.id))[0]!.run, 'r1');
  });

  testLedger('a URL leaves quarantine only when it is released, as its next generation', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, run('r1'), policies);
    const [reference] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'failed', terminalStates });
    await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed: { times: 0, afterMs: 0 } });
    assert.deepEqual(await listQuarantined(ledger), [{ watch: 'shop', url: shopUrl('1'), reason: 'failed once' }]);
    await endRun(ledger, run('r1'), 'finished');
    await crawled(ledger, 'r2', { a: [['1', '2026-02-01']] });
    assert.equal(await releaseUrl(ledger, WATCH.id, shopUrl('1')), true);
    assert.equal(await releaseUrl(ledger, WATCH.id, shopUrl('1')), false);
    assert.equal((await planRun(ledger, run('r2'), policies)).urls, 1);
    assert.equal((await getUrlHistory(ledger, shopUrl('1')))[0]!.generation, 2);
  });

  testLedger('a batch that needs review buys nothing until it is released', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, run('r1'), policies);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    await beginSend(ledger, batch, policies);
    const outcome = { kind: 'defect', chargeState: 'none', message: 'status 400' } as const;
    await recordAnswer(ledger, batch, { attempt: 1, outcome, status: 400, requestId: null });
    await endRun(ledger, run('r1'), 'finished');
    await crawled(ledger, 'r2', { a: ['1'] });
    assert.equal((await planRun(ledger, run('r2'), policies)).urls, 0);
    assert.equal(await resolveNeedsReview(ledger, batch, 'release'), true);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: ['1'] });
    assert.equal((await planRun(ledger, run('r3'), policies)).urls, 1);
  });

  testLedger(
    'fast batches go before standard ones, and a large batch does not delay a small one of another watch',
    async (ledger) => {
      const news = { ...WATCH, id: 'news' as typeof WATCH.id, service: 'fast' as const };
      const blog = { ...WATCH, id: 'blog' as typeof WATCH.id };
      await crawled(ledger, 'r1', { a: Array.from({ length: 10_001 }, (_, n) => `s/${n}`) });
      await crawled(ledger, 'n1', { b: ['n/1'] }, { watch: news.id });
      await crawled(ledger, 'b1', { c: ['b/1'] }, { watch: blog.id });
      for (const [name, watch] of [
        ['r1', WATCH],
        ['n1', news],
        ['b1', blog],
      ] as const) {
        await planRun(ledger, run(name), { account: ACCOUNT, watch });
      }
      const order: string[] = [];
      for (let n = 0; n < 5; n++) {
        ledger.pass(1);
        const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
        const sending = await beginSend(ledger, batch, policies);
        assert.ok(sending.kind === 'send');
        order.push(`${sending.watch} ${sending.urls.length}`);
        const outcome = { kind: 'retry', why: 'unknown', chargeState: 'none', retryAfterMs: DAY, message: '' } as const;
        await recordAnswer(ledger, batch, { attempt: 1, outcome, status: 500, requestId: null });
      }
      assert.deepEqual(order, ['news 1', 'shop 1', 'blog 1', 'shop 5000', 'shop 5000']);
    },
  );
});
