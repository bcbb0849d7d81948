import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  sendAll,
  testLedger,
  WATCH,
  waitFor,
} from '../../test/support/ledger.ts';
import { parseSamples } from '../../test/support/metrics.ts';
import { listPendingBatches } from '../ledger/batches/batch-queries.ts';
import { beginSend } from '../ledger/batches/begin-send.ts';
import { recordBalance } from '../ledger/money/balance.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { endRun } from '../ledger/runs/runs.ts';
import { openRateLimits } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { Reference, RunId } from '../submission/ids.ts';
import { createSampler } from './sample.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

const account = ACCOUNT.id;
const watch = WATCH.id;
const run = 'run-1' as RunId;

const policy = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 10_000_000 as Micros } };

async function openScrape(ledger: Ledger) {
  const limits = await openRateLimits('sqlite::memory:', { now: ledger.now });
  const limiter = limits.getLimiter(account, toRateLimits());
  const read = createSampler(
    ledger,
    () => limiter,
    () => ({ accounts: [policy], watches: new Map([[watch, 172_800_000]]) }),
  );
  const metrics = createWorkerMetrics('1.2.3');
  return {
    limiter,
    close: () => limits.close(),
    scrape: async () => parseSamples((await metrics.render(await read())).text),
  };
}

async function planPages(ledger: Ledger, name: string, pages: readonly string[]): Promise<void> {
  await crawled(ledger, name, { a: pages });
  await planRun(ledger, name as RunId, { account: policy, watch: WATCH });
  await endRun(ledger, name as RunId, 'finished');
}

describe('metrics of a worker', () => {
  testLedger('a scrape shows money, queues and their age from the ledger', async (ledger) => {
    const { scrape, limiter, close } = await openScrape(ledger);
    await planPages(ledger, run, ['1', '2', '3']);
    ledger.pass(HOUR);
    const planned = await scrape();
    assert.equal(planned.get('courier_batches{account="main",state="due"}'), 1);
    assert.equal(planned.get('courier_oldest_batch_seconds{account="main",state="due"}'), 3_600);
    assert.equal(planned.get('courier_spend_left_micros{account="main",window="day"}'), 9_250_000, 'plans count');
    assert.equal(planned.get('courier_spent_micros{account="main",window="day"}'), 0);

    await sendAll(ledger);
    await recordBalance(ledger, account, 99_250_000 as Micros);
    ledger.pass(2 * HOUR);
    await limiter.acquire('poll');
    const sent = await scrape();
    assert.equal(sent.get('courier_batches{account="main",state="due"}'), 0);
    assert.equal(sent.get('courier_batches{account="main",state="pending"}'), 1);
    assert.equal(sent.get('courier_oldest_batch_seconds{account="main",state="pending"}'), 7_200);
    assert.equal(sent.get('courier_balance_micros{account="main"}'), 99_250_000);
    assert.equal(sent.get('courier_balance_age_seconds{account="main"}'), 7_200);
    assert.equal(sent.get('courier_spent_micros{account="main",window="day"}'), 750_000);
    assert.equal(sent.get('courier_requests_left{account="main",window="minute"}'), 119);
    await close();
  });

  testLedger('a batch without a response counts as in doubt, with its age', async (ledger) => {
    const { scrape, close } = await openScrape(ledger);
    await planPages(ledger, run, ['1']);
    const [batch] = (await listPendingBatches(ledger, account)).batches;
    await beginSend(ledger, batch!.id, { account: policy, watch: WATCH });
    ledger.pass(HOUR);
    const samples = await scrape();
    assert.equal(samples.get('courier_batches{account="main",state="in_doubt"}'), 1);
    assert.equal(samples.get('courier_oldest_batch_seconds{account="main",state="in_doubt"}'), 3_600);
    await close();
  });

  testLedger('a scrape shows failed, held and successful runs of a watch', async (ledger) => {
    const { scrape, close } = await openScrape(ledger);
    const value = async (name: string) => (await scrape()).get(`courier_watch_${name}{watch="shop"}`);
    await completeRun(ledger, 'good', { a: ['1'] });
    const success = ledger.now();
    for (const name of ['bad-1', 'bad-2']) {
      ledger.pass(DAY);
      await completeRun(ledger, name, { a: 'broken' }, { complete: false });
    }
    ledger.pass(6_000);
    assert.equal(await value('failed_runs'), 2);
    assert.equal(await value('last_success_timestamp_seconds'), success / 1_000);
    assert.equal(await value('late_after_seconds'), 172_800);
    await crawled(ledger, 'held', { a: ['1', '2', '3'] });
    assert.notEqual(
      await judgeRun(ledger, 'held' as RunId, {
        ...{ maxNew: 1, maxNewPercent: null, maxChanged: null, maxChangedPercent: null, maxGonePercent: null },
      }),
      null,
    );
    ledger.pass(6_000);
    assert.equal(await value('held'), 1);
    assert.equal(await value('failed_runs'), 0, 'what waits has read everything');
    await close();
  });

  testLedger('a stopped account is shown by its reason', async (ledger) => {
    const { scrape, close } = await openScrape(ledger);
    await planPages(ledger, run, ['1']);
    await waitFor(ledger, { code: 'insufficient_balance', text: 'too little' });
    const samples = await scrape();
    assert.equal(samples.get('courier_account_stopped{account="main",reason="suspended"}'), 1);
    assert.equal(samples.get('courier_account_stopped{account="main",reason="key_rejected"}'), 0);
    await close();
  });

  testLedger('scrapes within five seconds read the ledger once', async (ledger) => {
    const { scrape, close } = await openScrape(ledger);
    await scrape();
    await planPages(ledger, run, ['1']);
    const due = 'courier_batches{account="main",state="due"}';
    assert.equal((await scrape()).get(due), 0);
    ledger.pass(5_000);
    assert.equal((await scrape()).get(due), 1);
    await close();
  });

  test('events are counted: URLs and money of an acceptance once, runs, requests, crawls and poll lag', async () => {
    const metrics = createWorkerMetrics('1.2.3');
    const batch = {
      ...({ kind: 'batch', account, watch, batch: 1 as never, service: 'fast', outcome: '', urls: 3 } as const),
      ...{ reference: 'sub_1' as Reference, requestId: null, reason: null },
    };
    metrics.count({ ...batch, accepted: 'now', charged: 750_000 as Micros });
    metrics.count({ ...batch, accepted: 'before', charged: null });
    metrics.count({ ...batch, accepted: 'no', charged: null });
    metrics.count({
      kind: 'crawl',
      account,
      watch,
      run,
      urls: 9,
      sitemaps: 1,
      complete: true,
      problems: [],
      tookMs: 2_000,
    });
    metrics.count({ kind: 'run_abandoned', account, watch, run });
    metrics.count({ kind: 'poll', account, reference: 'sub_1' as Reference, state: 'queued', lagMs: 400 });
    metrics.count({ kind: 'request', account, endpoint: 'submit', status: null, tookMs: 90, unavailable: 'timeout' });
    const samples = parseSamples((await metrics.render(null)).text);
    assert.equal(samples.get('courier_submitted_urls_total{account="main",watch="shop",service="fast"}'), 3);
    assert.equal(samples.get('courier_charged_micros_total{account="main",watch="shop",kind="submission"}'), 750_000);
    assert.equal(samples.get('courier_runs_total{watch="shop",result="abandoned"}'), 1);
    assert.equal(samples.get('courier_crawl_seconds_sum{watch="shop"}'), 2);
    assert.equal(samples.get('courier_poll_lag_seconds_sum{account="main"}'), 0.4);
    assert.equal(samples.get('courier_requests_total{account="main",endpoint="submit",status="none"}'), 1);
    assert.ok(![...samples.keys()].some((name) => name.includes('sub_1')), 'no label holds a reference');
  });

  test('a ledger that cannot be read shows that, and no old figures', async () => {
    const metrics = createWorkerMetrics('1.2.3');
    const samples = parseSamples((await metrics.render(null)).text);
    assert.equal(samples.get('courier_ledger_readable'), 0);
    assert.ok(![...samples.keys()].some((name) => name.startsWith('courier_balance')));
  });
});
