import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  NO_GUARD,
  sendAll,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../test/support/ledger.ts';
import { readConfig } from '../config/load.ts';
import { listNextRuns } from '../config/next-runs.ts';
import { sql } from '../database/sql.ts';
import { recordBalance } from '../ledger/money/balance.ts';
import { learnPrice } from '../ledger/money/price.ts';
import { judgeRun } from '../ledger/plans/judge-run.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { getAccountTotals } from '../ledger/reports/totals.ts';
import { endRun } from '../ledger/runs/runs.ts';
import type { RunId } from '../submission/ids.ts';
import { forecastRuns } from './forecast.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const config = (account = '', watch = '') =>
  readConfig(
    `version: 1
accounts:
  main: { base_url: https://service.example/api/v1, api_key: { env: UNUSED }, price_per_url: 0.25 TRY${account} }
watches:
  shop: { account: main, sitemaps: [${SITEMAP}], schedule: { cron: "30 4 * * *", timezone: Europe/Istanbul }${watch} }
  blog: { account: main, sitemaps: [https://blog.example/s.xml] }
  news: { account: main, sitemaps: [https://news.example/s.xml], schedule: { cron: "0 5 * * *" }, paused: true }
  once: { account: main, sitemaps: [https://once.example/s.xml], schedule: { cron: "0 5 * * *" } }
`,
    'courier.yaml',
  );

/** Now, so that the next times of the cron lines are within a day. */
function atPresent(ledger: TestLedger): void {
  ledger.pass(Date.now() - ledger.now());
}

const forecast = (ledger: TestLedger, ...settings: Parameters<typeof config>) =>
  forecastRuns({ config: config(...settings), ledger, isPaused: (watch) => watch === 'once' });

describe('the runs of the next day', () => {
  testLedger('are those of the cron lines in their zone; a pause and a missing schedule are said', async (ledger) => {
    atPresent(ledger);
    const { runs } = await forecast(ledger);
    assert.deepEqual(
      runs.map(({ watch, noRun, runs: often }) => [watch, noRun, often]),
      [
        ['shop', null, 1],
        ['blog', 'no_schedule', 0],
        ['news', 'paused', 0],
        ['once', 'paused', 0],
      ],
    );
    const local = new Date(runs[0]?.at ?? 0).toLocaleString('en-GB', {
      timeZone: 'Europe/Istanbul',
      timeStyle: 'short',
    });
    assert.equal(local, '04:30');
    assert.deepEqual([runs[0]?.usual, runs[0]?.urls, runs[0]?.cost], [null, 0, 0]);
  });

  testLedger('estimate what is due and what is usually found, and what a cap and the balance allow', async (ledger) => {
    const pages = ['a'];
    await completeRun(ledger, 'first', { [SITEMAP]: pages }, { firstRun: 'baseline' });
    for (const page of ['b', 'c']) {
      pages.push(page, `${page}2`);
      ledger.pass(DAY);
      await completeRun(ledger, page, { [SITEMAP]: pages });
    }
    atPresent(ledger);
    const [free] = (await forecast(ledger)).runs;
    assert.deepEqual([free?.due, free?.usual, free?.urls, free?.cost, free?.allowed], [4, 2, 6, 1_500_000, 6]);
    const [capped] = (await forecast(ledger, '', ', spend: { per_run: 0.60 TRY }')).runs;
    assert.equal(capped?.allowed, 2);
    assert.match(capped?.limit ?? '', /per run of 0\.60 TRY/);
    await recordBalance(ledger, ACCOUNT.id, 1_000_000 as never);
    const short = await forecast(ledger);
    assert.equal(short.runs[0]?.allowed, 4, 'the balance');
    assert.deepEqual(short.accounts, [
      {
        ...{ account: 'main', urls: 4, cost: 1_000_000, balance: 1_000_000, balanceAt: ledger.now(), balanceAfter: 0 },
        ...{ chargedSince: 0, committed: 0, newPrices: [] },
      },
    ]);
  });

  testLedger('say what a price that has changed does to what they buy at its level', async (ledger) => {
    await completeRun(ledger, 'first', { [SITEMAP]: ['a'] }, { firstRun: 'baseline' });
    await completeRun(ledger, 'second', { [SITEMAP]: ['a', 'b', 'c'] });
    atPresent(ledger);
    const learn = (charge: number, service: 'standard' | 'fast') => {
      const at = ledger.now();
      return learnPrice(ledger.db, { account: ACCOUNT.id, service, charge: charge as Micros, urls: 1, at, now: at });
    };
    for (const service of ['standard', 'fast'] as const) await learn(250_000, service);
    assert.deepEqual((await forecast(ledger)).accounts[0]?.newPrices, []);
    ledger.pass(60_000);
    for (const service of ['standard', 'fast'] as const) await learn(500_000, service);
    const { runs, accounts } = await forecast(ledger);
    const urls = runs[0]?.urls ?? 0;
    assert.ok(urls >= 2);
    assert.deepEqual(
      accounts[0]?.newPrices.map((price) => [price.service, price.before, price.urls, price.cost, price.costBefore]),
      [
        ['standard', 250_000, urls, urls * 500_000, urls * 250_000],
        ['fast', 250_000, 0, 0, 0],
      ],
    );
  });

  testLedger('count what was charged since the balance was read, as status does', async (ledger) => {
    await recordBalance(ledger, ACCOUNT.id, 1_000_000 as never);
    ledger.pass(1_000);
    await crawled(ledger, 'first', { [SITEMAP]: ['a', 'b', 'c'] });
    await planRun(ledger, 'first' as RunId, { account: ACCOUNT, watch: WATCH });
    await sendAll(ledger);
    await endRun(ledger, 'first' as RunId, 'finished');
    await crawled(ledger, 'second', { [SITEMAP]: ['a', 'b', 'c', 'd', 'e'] });
    await endRun(ledger, 'second' as RunId, 'finished');
    const { runs, accounts } = await forecast(ledger, ', spend: { balance_floor: 0.10 TRY }');
    const totals = await getAccountTotals(ledger, ACCOUNT.id);
    assert.equal(totals.left, 250_000, 'status');
    const [account] = accounts;
    assert.deepEqual([account?.chargedSince, account?.cost, account?.balanceAfter], [750_000, 0, 250_000]);
    const [shop] = runs;
    assert.deepEqual([shop?.due, shop?.allowed], [2, 0]);
    assert.match(shop?.limit ?? '', /the balance leaves 0\.15 TRY above its floor of 0\.10 TRY/);
  });

  testLedger('spend nothing of index checks that the floor does not leave room for', async (ledger) => {
    await completeRun(ledger, 'first', { [SITEMAP]: ['a', 'b', 'c'] }, { firstRun: 'baseline' });
    await ledger.db.run(sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at) SELECT id, watch_id, 1, 1 FROM urls`);
    await recordBalance(ledger, ACCOUNT.id, 10_000_000 as never);
    atPresent(ledger);
    const { runs, accounts } = await forecast(
      ledger,
      ', spend: { balance_floor: 10 TRY }',
      ', index_check: { sample: 100% }',
    );
    assert.deepEqual([runs[0]?.checks, runs[0]?.checksCost], [3, 0]);
    assert.equal(accounts[0]?.balanceAfter, 10_000_000);
  });

  testLedger('name the run that a guard holds, before which nothing starts', async (ledger) => {
    await crawled(ledger, 'first', { [SITEMAP]: ['a'] });
    await judgeRun(ledger, 'first' as RunId, { ...NO_GUARD, maxNew: 0 });
    atPresent(ledger);
    const { runs, accounts } = await forecast(ledger);
    assert.equal(runs[0]?.held, 'first');
    assert.equal(accounts[0]?.urls, 0);
  });
});

describe('listNextRuns', () => {
  test('gives times in the zone of the schedule', () => {
    const [first = 0, second = 0] = listNextRuns({ cron: '0 12 * * *', timezone: 'Europe/Istanbul' }, 2);
    assert.equal(new Date(first).toISOString().slice(11, 16), '09:00');
    assert.equal(second - first, DAY);
  });
});
