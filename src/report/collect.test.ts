import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import {
  ACCOUNT,
  crawled,
  DAY,
  HOUR,
  type Site,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../test/support/ledger.ts';
import { endJob, runCheck } from '../../test/support/service-results.ts';
import { readConfig } from '../config/load.ts';
import { recordPoll } from '../ledger/jobs/record-poll.ts';
import { recordUrlResults } from '../ledger/jobs/settle-job.ts';
import { planRun } from '../ledger/plans/make-plan.ts';
import { endRun } from '../ledger/runs/runs.ts';
import type { Verdict } from '../submission/answer.ts';
import type { AccountId, RunId, WatchId } from '../submission/ids.ts';
import { collectReport } from './collect.ts';
import { toCoverage } from './figures/coverage.ts';

const CONFIG = readConfig(
  `version: 1
accounts:
  main: { base_url: "https://service.example/api/v1", api_key: { env: KEY }, spend: { per_day: 10 TRY } }
  other: { base_url: "https://service.example/api/v1", api_key: { env: KEY } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
  blog: { account: other, sitemaps: ["https://blog.example/sitemap.xml"] }
`,
  'courier.yaml',
);
const ALL = { watches: [], accounts: [] };
const terminalStates = ['completed', 'partial', 'failed'];
const policy = { afterMs: DAY, everyMs: DAY, stopWhenFound: false, sample: 1, perDay: null, resubmitAfter: null };

/** One run that buys what is new, two hours after it began. */
async function buy(ledger: TestLedger, run: string, site: Site, firstRun: 'submit' | 'baseline' = 'submit') {
  await crawled(ledger, run, site, { firstRun });
  ledger.pass(2 * HOUR);
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  const references = await sendAll(ledger);
  await endRun(ledger, run as RunId, 'finished');
  return references;
}

const check = (ledger: TestLedger, decide: (url: string) => Verdict) => runCheck(ledger, policy, decide);

/**
 * 15 January: two pages adopted. 16 January: three new, one fails, two are completed after 6 hours. 18 January: one of
 * them is found in the index. 19 January: both are.
 */
async function workForDays(ledger: TestLedger): Promise<void> {
  await buy(ledger, 'r1', { a: ['old-1', 'old-2'] }, 'baseline');
  ledger.pass(DAY - 2 * HOUR);
  const [reference] = await buy(ledger, 'r2', { a: ['old-1', 'old-2', 'new-1', 'new-2', 'new-3'] });
  ledger.pass(4 * HOUR);
  await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'partial', terminalStates });
  await recordUrlResults(ledger, ACCOUNT.id, reference!, [
    { url: shopUrl('new-1'), result: 'completed', reason: null },
    { url: shopUrl('new-2'), result: 'completed', reason: null },
    { url: shopUrl('new-3'), result: 'failed', reason: 'HTTP 404' },
  ]);
  await endJob(ledger, reference!, { state: 'partial' });
  ledger.pass(2 * DAY - 6 * HOUR);
  await check(ledger, (url) => (url.endsWith('new-1') ? 'found' : 'not-found'));
  ledger.pass(DAY);
  await check(ledger, () => 'found');
}

describe('a report', () => {
  testLedger('has what the ledger recorded, day by day, and nothing of days that are not known', async (ledger) => {
    await workForDays(ledger);
    const since = ledger.now() - 6 * DAY;
    const report = await collectReport(ledger, CONFIG, { ...ALL, since });
    const [shop, blog] = report.watches;
    assert.ok(shop !== undefined && blog !== undefined);
    const day = (n: number) => Date.UTC(2026, 0, n);
    assert.deepEqual([report.since, report.today], [day(13), day(19)]);

    const unknown = { bought: null, completed: null, checked: null, found: null };
    assert.deepEqual(toCoverage(shop), [
      { day: day(15), listed: 2, ...unknown },
      { day: day(16), listed: 5, ...unknown },
      { day: day(19), listed: 5, bought: 3, completed: 2, checked: 2, found: 2 },
    ]);
    assert.deepEqual([shop.adopted, blog.adopted], [2, 0], 'listed when the watch began');
    assert.deepEqual([shop.countedSince, blog.countedSince, blog.counts], [day(19), null, []]);
    assert.deepEqual(
      shop.runs.map((run) => [run.day, run.new, run.finished]),
      [
        [day(15), 0, 1],
        [day(16), 3, 1],
      ],
    );

    const at = (stage: string) => report.stages.find((each) => each.stage === stage)!;
    const spread = (urls: number, hours: number) => ({ urls, median: hours * HOUR, ninth: hours * HOUR });
    assert.deepEqual(at('accepted').days, [{ day: day(16), ...spread(3, 2) }]);
    assert.deepEqual(at('completed').days, [{ day: day(16), ...spread(2, 6) }]);
    assert.deepEqual(
      at('found').days,
      [
        { day: day(18), ...spread(1, 48) },
        { day: day(19), ...spread(1, 72) },
      ],
      'each URL once, when a check first found it',
    );
    assert.deepEqual(at('found').all, { urls: 2, median: 48 * HOUR, ninth: 72 * HOUR });

    const [main] = report.accounts;
    assert.deepEqual(
      main!.days.map((each) => [each.day, each.urls, each.submissions, each.checkedUrls, each.checks]),
      [
        [day(16), 3, 750_000, 0, 0],
        [day(18), 0, 0, 2, 1_000_000],
        [day(19), 0, 0, 2, 1_000_000],
      ],
    );
    assert.equal(main!.perDay, 10_000_000 as Micros);
    assert.deepEqual(report.failures, [{ reason: 'HTTP 404', urls: 1 }]);
    assert.deepEqual(shop.checks, [
      { day: day(18), urls: 2, found: 1 },
      { day: day(19), urls: 2, found: 2 },
    ]);
    assert.deepEqual(
      shop.quarantine.map(({ reason, urls, example }) => [reason?.code, urls, example]),
      [['failed_too_often', 1, shopUrl('new-3')]],
    );
    assert.deepEqual(
      report.slowest.map(({ urls, ms }) => [urls, ms]),
      [[3, 4 * HOUR]],
    );
    assert.deepEqual([report.purchasesSince, report.checksSince], [null, null]);
  });

  testLedger('counts today again each time, and keeps what was counted before', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    const read = async () => {
      const { watches } = await collectReport(ledger, CONFIG, { ...ALL, since: ledger.now() - 5 * DAY });
      return watches[0]!.counts.map(({ day, listed, bought }) => [new Date(day).getUTCDate(), listed, bought]);
    };
    assert.deepEqual(await read(), [[15, 1, 1]]);
    await buy(ledger, 'r2', { a: ['1', '2'] });
    assert.deepEqual(await read(), [[15, 2, 2]]);
    ledger.pass(2 * DAY);
    await buy(ledger, 'r3', { a: ['2', '3'] });
    assert.deepEqual(
      await read(),
      [
        [15, 2, 2],
        [17, 2, 2],
      ],
      'a URL that is gone is not listed',
    );
  });

  testLedger('names what waits, the oldest first, and hides a cap that it cannot compare with', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
    ledger.pass(HOUR);
    const report = await collectReport(ledger, CONFIG, { ...ALL, since: ledger.now() });
    assert.deepEqual(
      report.accounts[0]!.waiting.map(({ kind, urls, since }) => [kind, urls, ledger.now() - since]),
      [['to_be_sent', 2, HOUR]],
    );
    assert.deepEqual(report.accounts[0]!.waits, { to_be_sent: 1, in_doubt: 0, needs_review: 0, open_job: 0 });
    const blog = await collectReport(ledger, CONFIG, {
      watches: ['blog' as WatchId],
      accounts: ['other' as AccountId],
      since: ledger.now(),
    });
    assert.deepEqual([blog.watches.length, blog.accounts.length, blog.accounts[0]!.waiting], [1, 1, []]);
    const two = readConfig(
      `version: 1
accounts: { main: { base_url: "https://service.example/api/v1", api_key: { env: KEY }, spend: { per_day: 10 TRY } } }
watches:
  shop: { account: main, sitemaps: ["https://shop.example/sitemap.xml"] }
  blog: { account: main, sitemaps: ["https://blog.example/sitemap.xml"] }
`,
      'courier.yaml',
    );
    const part = await collectReport(ledger, two, { ...ALL, watches: ['shop' as WatchId], since: ledger.now() });
    assert.equal(part.accounts[0]!.perDay, null);
  });
});
