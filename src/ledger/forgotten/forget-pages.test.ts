import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  QUARTER,
  type Site,
  sendAll,
  shopUrl,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { raw, sql } from '../../database/sql.ts';
import type { Reference, RunId, WatchId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { cancelBatch } from '../batches/cancel-batch.ts';
import { beginCheck } from '../index-checks/begin-check.ts';
import { recordCheck } from '../index-checks/record-check.ts';
import { hasUrlOf } from '../jobs/history-hold.ts';
import { importPurchases } from '../jobs/import-purchases.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { recoverJob } from '../jobs/recover.ts';
import { settleJob } from '../jobs/settle-job.ts';
import type { Ledger } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import type { WatchPolicy } from '../policy.ts';
import { eachPurchasedPage } from '../reports/purchased-urls.ts';
import { listSpending } from '../reports/spending.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { forgetPages } from './forget-pages.ts';
import type { ForgetSelection } from './forget-selection.ts';
import { toForgottenUrl } from './forgotten-url.ts';
import { requireForgettable, surveyForget } from './survey-forget.ts';

const SHOP: WatchPolicy = WATCH;
const STORE: WatchPolicy = { ...WATCH, id: 'store' as WatchId };
const CHECKS = { afterMs: DAY, everyMs: DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: null };
const ALL_SHOP: ForgetSelection = { kind: 'watch', watch: SHOP.id };
const named = (...paths: string[]): ForgetSelection => ({ kind: 'urls', urls: new Set(paths.map(shopUrl)) });

async function end(ledger: Ledger, references: readonly Reference[], result: 'completed' | 'failed' = 'completed') {
  for (const reference of references) {
    await recordPoll(ledger, ACCOUNT.id, reference, { state: result, terminalStates: ['completed', 'failed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: WATCH.retryFailed });
  }
}

/** One run to its end; how many URLs it buys. */
async function buy(ledger: Ledger, run: string, site: Site, watch = SHOP, configured = [watch.id]): Promise<number> {
  await crawled(ledger, run, site, { watch: watch.id, configured });
  const { urls } = await planRun(ledger, run as RunId, { account: ACCOUNT, watch });
  await end(ledger, await sendAll(ledger));
  await endRun(ledger, run as RunId, 'finished');
  return urls;
}

const forget = (ledger: Ledger, selection: ForgetSelection = ALL_SHOP, configured: readonly WatchId[] = []) =>
  forgetPages(ledger, { selection, configured }, { pause: () => Promise.resolve() });

const countPages = async (ledger: Ledger, selection: ForgetSelection = ALL_SHOP) =>
  (await forget(ledger, selection)).pages;

/** Every text of the ledger, as one. */
async function readLedger({ db }: Ledger): Promise<string> {
  const tables =
    db.dialect === 'sqlite'
      ? await db.all<{ name: string }>(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
      : await db.all<{ name: string }>(
          sql`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
        );
  const texts: string[] = [];
  for (const { name } of tables) {
    if (name === 'gone_candidates') continue;
    // A fingerprint is larger than a number of JavaScript, and not a text.
    const columns = name === 'urls' ? 'url, due, state, reason_params' : '*';
    const rows = await db.all(sql`SELECT ${raw(columns)} FROM ${raw(name)}`);
    texts.push(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  }
  return texts.join('\n');
}

const readGenerations = async ({ db }: Ledger) =>
  (
    await db.all(sql<{ watch: string; url: string; generation: number }>`
      SELECT w.name AS watch, u.url, u.generation FROM urls AS u JOIN watches AS w ON w.id = u.watch_id
      WHERE u.forgotten_at IS NULL ORDER BY w.name, u.url`)
  ).map(({ watch, url, generation }) => [watch, url.replace('https://shop.example/', ''), generation]);

/** Of each watch: its counter of listed pages, and their number. */
const countLive = async ({ db }: Ledger) =>
  (
    await db.all(sql<{ live: number; listed: number }>`
      SELECT w.live, (SELECT count(*) FROM urls AS u WHERE u.watch_id = w.id AND u.gone_run IS NULL) AS listed
      FROM watches AS w ORDER BY w.id`)
  ).map(({ live, listed }) => [live, listed]);

async function readMoney(ledger: Ledger) {
  return {
    totals: await getAccountTotals(ledger, ACCOUNT.id, ACCOUNT.pricePerUrl),
    spending: await listSpending(ledger, 'day', 0),
    journal: await ledger.db.all(sql`SELECT * FROM journal ORDER BY id`),
    batches: await ledger.db.all(sql`SELECT id, state, charge, urls, completed, failed FROM batches ORDER BY id`),
    members: await ledger.db.all(
      sql`SELECT batch_id, url_id, generation, result FROM batch_urls ORDER BY batch_id, position`,
    ),
    states: await ledger.db.all(
      sql`SELECT state, count(*) AS n, sum(generation) AS g FROM urls GROUP BY state ORDER BY state`,
    ),
    checks: await ledger.db.all(sql`SELECT * FROM check_queue ORDER BY url_id`),
  };
}

describe('a forgotten page that comes back', () => {
  testLedger('unchanged, under the same watch: it is known, and not bought', async (ledger) => {
    assert.equal(await buy(ledger, 'r1', { a: ['1', '2'] }), 2);
    assert.equal(await countPages(ledger), 2);
    assert.equal(await buy(ledger, 'r2', { a: ['1', '2', '3'] }), 1, 'only the page that was never bought');
    assert.deepEqual(await readGenerations(ledger), [
      ['shop', '1', 1],
      ['shop', '2', 1],
      ['shop', '3', 1],
    ]);
  });

  testLedger('changed: it is bought once, as the next generation with another key', async (ledger) => {
    await buy(ledger, 'r1', { a: [['1', '2026-01-01']] });
    await forget(ledger);
    assert.equal(await buy(ledger, 'r2', { a: [['1', '2026-01-02']] }), 1);
    assert.deepEqual(await readGenerations(ledger), [['shop', '1', 2]]);
    assert.equal(await buy(ledger, 'r3', { a: [['1', '2026-01-02']] }), 0);
    const keys = await ledger.db.all(sql`SELECT DISTINCT idempotency_key FROM batches`);
    assert.equal(keys.length, 2);
  });

  testLedger('under a new name of the watch: it is not bought, and its purchases move there', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await forget(ledger);
    assert.equal(await buy(ledger, 'n1', { a: ['1'] }, STORE), 0);
    assert.deepEqual(await readGenerations(ledger), [['store', '1', 1]]);
  });

  testLedger('under another watch while the first is configured: the purchase of the first counts', async (ledger) => {
    const both = [SHOP.id, STORE.id];
    await buy(ledger, 'r1', { a: ['1', '2'] });
    await buy(ledger, 'r2', { a: ['2'] });
    assert.equal((await forget(ledger, named('1'), both)).pages, 1, 'it is gone from its watch');
    assert.equal(await buy(ledger, 's1', { b: ['1'] }, STORE, both), 0);
    assert.deepEqual(await readGenerations(ledger), [
      ['shop', '1', 1],
      ['shop', '2', 1],
      ['store', '1', 0],
    ]);
  });

  testLedger('is counted among the pages of its watch again, and not while it is forgotten', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2', '3'] });
    await buy(ledger, 'r2', { a: ['1', '2'] });
    await forget(ledger);
    assert.deepEqual(await countLive(ledger), [[0, 0]]);
    await buy(ledger, 'r3', { a: ['1', '2', '3', '4'] });
    assert.deepEqual(await countLive(ledger), [[4, 4]]);
    await forget(ledger);
    await buy(ledger, 'n1', { a: ['1', '4'] }, STORE);
    assert.deepEqual(await countLive(ledger), [
      [0, 0],
      [2, 2],
    ]);
  });

  testLedger('after two more generations elsewhere, no key repeats', async (ledger) => {
    await buy(ledger, 'r1', { a: [['1', '2026-01-01']] });
    for (const day of [2, 3, 4]) {
      const site = { a: [['1', `2026-01-0${day}`]] } as const;
      await forget(ledger);
      assert.equal(await buy(ledger, `n${day}`, site, STORE), 1);
      await forget(ledger, { kind: 'watch', watch: STORE.id });
      assert.equal(await buy(ledger, `r${day}`, site), 0, 'bought under the other name already');
    }
    assert.deepEqual(await readGenerations(ledger), [['shop', '1', 4]]);
  });

  testLedger('is not gone; what else its watch does not list any more is', async (ledger) => {
    for (const [round, selection] of [named('1'), { kind: 'host', host: 'sitemaps.example' } as const].entries()) {
      const sitemap = 'https://sitemaps.example/s.xml';
      await buy(ledger, `a${round}`, { [sitemap]: ['1', '2', '3'] });
      await forget(ledger, selection);
      const diff = await completeRun(ledger, `b${round}`, { [sitemap]: ['2'] });
      assert.deepEqual([diff.found, diff.gone], [1, round === 0 ? 1 : 2]);
    }
  });

  testLedger('that failed: its retry and its failures count on', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: SHOP });
    await end(ledger, await sendAll(ledger), 'failed');
    await endRun(ledger, 'r1' as RunId, 'finished');
    await forget(ledger);
    ledger.pass(DAY);
    assert.equal(await buy(ledger, 'r2', { a: ['1'] }), 1, 'the one retry that the watch allows');
    assert.deepEqual(await readGenerations(ledger), [['shop', '1', 2]]);
  });

  testLedger('that a baseline adopted: it is not bought', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] }, { firstRun: 'baseline' });
    await forget(ledger);
    assert.equal(await buy(ledger, 'r2', { a: ['1'] }), 0);
  });

  testLedger('that was not bought yet: it is bought once', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] });
    await forget(ledger);
    assert.equal(await buy(ledger, 'r2', { a: ['1'] }), 1);
    assert.equal(await buy(ledger, 'r3', { a: ['1'] }), 0);
  });

  testLedger('after a plan was reviewed that lists it: the import of a forgotten page takes it out', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2'] });
    await endRun(ledger, 'r1' as RunId, 'previewed');
    const forgotten = imported(toForgottenUrl(shopUrl('1')));
    await importPurchases(ledger, { account: ACCOUNT.id, watch: SHOP.id }, [forgotten], { write: true });
    const { urls } = await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: SHOP });
    assert.equal(urls, 1);
  });
});

const imported = (url: Parameters<typeof importPurchases>[2][number]['url'], generation = 1) =>
  ({ url, state: 'completed', generation, failures: 0, boughtAt: 1, version: null }) as const;

describe('export, import and recovery', () => {
  testLedger('a forgotten page that was exported and imported comes back as bought', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2'] });
    await forget(ledger);
    const pages = [];
    for await (const page of eachPurchasedPage(ledger.db, [])) pages.push(...page);
    assert.ok(pages.every(({ url }) => !url.includes('shop.example')));
    // Another ledger, with another seed: the same database without what it knows.
    for (const table of ['urls', 'batch_urls', 'batches', 'journal', 'sitemap_snapshots', 'sitemaps', 'runs'])
      await ledger.db.run(sql`DELETE FROM ${raw(table)}`);
    const other = { ...ledger, seed: (ledger.seed + 1) >>> 0 };
    const rows = pages.map(({ url, generation }) => imported(url, generation));
    const to = { account: ACCOUNT.id, watch: SHOP.id };
    assert.deepEqual(await importPurchases(other, to, rows, { write: true }), { added: 2, marked: 0, known: 0 });
    assert.deepEqual(await importPurchases(other, to, rows, { write: true }), { added: 0, marked: 0, known: 2 });
    assert.equal(await buy(other, 'r1', { a: ['1', '2', '3'] }), 1);
    assert.deepEqual(await readGenerations(other), [
      ['shop', '1', 1],
      ['shop', '2', 1],
      ['shop', '3', 1],
    ]);
  });

  testLedger('an address that is imported for a forgotten page is not written', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await forget(ledger);
    const to = { account: ACCOUNT.id, watch: SHOP.id };
    const counts = await importPurchases(ledger, to, [imported(shopUrl('1'))], { write: true });
    assert.deepEqual(counts, { added: 0, marked: 0, known: 1 });
    assert.deepEqual(await readGenerations(ledger), []);
  });

  for (const [label, watch] of [
    ['its own', SHOP.id],
    ['another', STORE.id],
  ] as const) {
    testLedger(
      `a job of the history that the ledger lacks counts, without the address, under ${label} watch`,
      async (ledger) => {
        await buy(ledger, 'r1', { a: ['1'] });
        await forget(ledger);
        const by = { account: ACCOUNT.id, watch, baseUrl: ACCOUNT.baseUrl };
        const job = {
          reference: 'LOST' as Reference,
          state: 'completed',
          terminal: true,
          service: 'standard',
          project: 'Shop',
          createdAt: ledger.now(),
          charge: QUARTER,
          urls: [{ url: shopUrl('1'), result: 'completed', reason: null }],
        } as const;
        assert.equal((await recoverJob(ledger, by, job)).kind, 'recovered');
        assert.equal((await recoverJob(ledger, by, job)).kind, 'known');
        assert.ok(!(await readLedger(ledger)).includes('shop.example/1'), 'the address is not written back');
        assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedEver, 2 * QUARTER);
        assert.equal(await buy(ledger, 'r2', { a: ['1'] }, { ...WATCH, id: watch }), 0);
        assert.equal(await hasUrlOf(ledger, ACCOUNT.id, [shopUrl('1')]), true);
      },
    );
  }

  testLedger('a job of a forgotten page belongs to the account', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1/'] });
    await forget(ledger);
    assert.equal(await hasUrlOf(ledger, ACCOUNT.id, [shopUrl('1')]), true, 'in either spelling');
    assert.equal(await hasUrlOf(ledger, ACCOUNT.id, [shopUrl('2')]), false);
  });
});

describe('forgetting', () => {
  testLedger('leaves no address, and every charge, count and cap as it was', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2'], b: 'broken' });
    await ledger.db.run(
      sql`UPDATE run_sitemaps SET message = 'https://shop.example/s.xml: 500' WHERE message IS NOT NULL`,
    );
    await ledger.db.run(sql`
      INSERT INTO run_skips (run_id, sitemap_id, reason, urls, sample)
      SELECT run_id, sitemap_id, 'excluded', 1, ${JSON.stringify([shopUrl('private')])} FROM run_sitemaps LIMIT 1`);
    await ledger.db.run(sql`UPDATE runs SET held = ${JSON.stringify({ reasons: [], sample: [shopUrl('1')] })}`);
    await ledger.db.run(sql`UPDATE runs SET decision = 'approved'`);
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: SHOP });
    await end(ledger, await sendAll(ledger));
    await endRun(ledger, 'r1' as RunId, 'finished');
    await ledger.db.run(sql`UPDATE batch_urls SET reason = ${`Not reachable: ${shopUrl('1')}.`} WHERE position = 0`);
    await ledger.db.run(sql`UPDATE batch_answers SET message = ${JSON.stringify({ url: shopUrl('2') })}`);
    ledger.pass(2 * DAY);
    const turn = await beginCheck(ledger, { account: ACCOUNT, watch: SHOP.id, spend: SHOP.spend, policy: CHECKS });
    assert.ok(turn.kind === 'send');
    const results = turn.urls.map((url) => ({ url, verdict: 'found', statusName: `at ${url}` }) as const);
    const checked = {
      kind: 'checked',
      chargeState: 'charged',
      results,
      charged: null,
      balance: null,
      usable: true,
    } as const;
    await recordCheck(ledger, turn.check, { attempt: turn.attempt, outcome: checked, requestId: 'q' }, CHECKS);
    assert.ok((await readLedger(ledger)).includes('shop.example'));

    const before = await readMoney(ledger);
    const { pages, kept } = await forget(ledger);
    assert.deepEqual([pages, kept], [2, 0]);
    assert.doesNotMatch(await readLedger(ledger), /.{0,80}shop\.example.{0,20}/);
    assert.deepEqual(await readMoney(ledger), before);
    const { result_reason } = await ledger.db.one(sql<{ result_reason: string }>`
      SELECT reason AS result_reason FROM batch_urls WHERE reason IS NOT NULL`);
    assert.equal(result_reason, 'Not reachable: (forgotten).');
    const again = await forget(ledger);
    assert.deepEqual(again, { pages: 0, kept: 0, sitemaps: 0, texts: 0 }, 'a second time there is nothing');
  });

  testLedger('of one page removes its address everywhere, and no other', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2'] });
    await ledger.db.run(
      sql`UPDATE batch_answers SET message = ${`${shopUrl('1')}, ${shopUrl('12')} and ${shopUrl('2')}`}`,
    );
    assert.equal((await forget(ledger, named('1'))).pages, 1);
    const texts = await readLedger(ledger);
    assert.doesNotMatch(texts, /shop\.example\/1\b/);
    assert.match(texts, /\(forgotten\), https:\/\/shop\.example\/12 and https:\/\/shop\.example\/2/);
    assert.deepEqual(await readGenerations(ledger), [['shop', '2', 1]]);
  });

  testLedger('of a host forgets every watch of it', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await buy(ledger, 's1', { a: ['2'] }, STORE);
    assert.equal(await countPages(ledger, { kind: 'host', host: 'other.example' }), 0);
    assert.equal(await countPages(ledger, { kind: 'host', host: '*.example' }), 2);
    assert.deepEqual(await readGenerations(ledger), []);
  });

  testLedger('shows the purchases of a page to whoever has its address', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await forget(ledger);
    const [history] = await getUrlHistory(ledger, shopUrl('1'));
    assert.equal(history?.forgottenAt, ledger.now());
    assert.deepEqual([history?.url, history?.purchases.length], [shopUrl('1'), 1]);
  });

  testLedger('never checks a forgotten page, and checks it again once it is back', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    await forget(ledger);
    ledger.pass(10 * DAY);
    const check = () => beginCheck(ledger, { account: ACCOUNT, watch: SHOP.id, spend: SHOP.spend, policy: CHECKS });
    assert.equal((await check()).kind, 'idle');
    await buy(ledger, 'r2', { a: ['1'] });
    ledger.pass(10 * DAY);
    const turn = await check();
    assert.deepEqual(turn.kind === 'send' ? turn.urls : turn, [shopUrl('1')]);
  });

  testLedger('is interrupted between two transactions, and continues when it is called again', async (ledger) => {
    const paths = Array.from({ length: 1_200 }, (_, at) => String(at));
    await buy(ledger, 'r1', { a: paths });
    const stop = new AbortController();
    const input = { selection: ALL_SHOP, configured: [] };
    const options = { signal: stop.signal, onProgress: () => stop.abort(), pause: () => Promise.resolve() };
    await assert.rejects(forgetPages(ledger, input, options), { name: 'AbortError' });
    assert.equal((await readGenerations(ledger)).length, 700);
    assert.equal(await buy(ledger, 'r2', { a: paths }), 0, 'a half-forgotten watch buys nothing again');
    assert.equal(await countPages(ledger), 1_200);
  });
});

describe('a page is kept', () => {
  const survey = (ledger: Ledger, selection = ALL_SHOP, configured: readonly WatchId[] = []) =>
    surveyForget(ledger, { selection, configured });

  async function refusal(ledger: Ledger, selection = ALL_SHOP, configured: readonly WatchId[] = []): Promise<string> {
    const input = { selection, configured };
    try {
      requireForgettable(await surveyForget(ledger, input), input, 'courier ledger forget');
    } catch (error) {
      assert.equal((await forget(ledger, selection, configured)).pages, 0, 'and nothing forgets it all the same');
      return (error as Error).message;
    }
    return 'none';
  }

  testLedger('while its batch is planned, in flight, or its job is open; not once it has ended', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: SHOP });
    await endRun(ledger, 'r1' as RunId, 'finished');
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    assert.match(
      await refusal(ledger),
      /1 page is in a batch that has not ended, such as batch 1.*Then type: courier ledger forget/,
    );
    await beginSend(ledger, batch!.id, { account: ACCOUNT, watch: SHOP });
    assert.match(await refusal(ledger), /batch 1/);
    await ledger.db.run(sql`UPDATE batches SET state = 'needs_review'`);
    assert.match(await refusal(ledger), /batch 1/);
    await ledger.db.run(sql`UPDATE batches SET state = 'planned', in_doubt_since = NULL`);
    const references = await sendAll(ledger);
    assert.match(await refusal(ledger), /batch 1/);
    await end(ledger, references);
    assert.equal(await refusal(ledger), 'none');
  });

  testLedger('not for a batch that was taken back', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: SHOP });
    await endRun(ledger, 'r1' as RunId, 'finished');
    const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
    await cancelBatch(ledger, batch!.id, 'you');
    assert.equal(await refusal(ledger), 'none');
  });

  testLedger('while a run of its watch is under way, not while one was given up', async (ledger) => {
    await completeRun(ledger, 'r1', { a: ['1'] });
    await crawled(ledger, 'r2', { a: ['1'] });
    assert.match(await refusal(ledger), /in a run of shop that has not ended/);
    ledger.pass(DAY + 1);
    assert.equal(await refusal(ledger), 'none');
  });

  testLedger('while an index check of it has not ended', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1'] });
    ledger.pass(2 * DAY);
    assert.equal(
      (await beginCheck(ledger, { account: ACCOUNT, watch: SHOP.id, spend: SHOP.spend, policy: CHECKS })).kind,
      'send',
    );
    assert.match(await refusal(ledger), /an index check of shop/);
  });

  testLedger('while a configured watch lists it', async (ledger) => {
    await buy(ledger, 'r1', { a: ['1', '2'] });
    await buy(ledger, 's1', { b: ['1'] }, STORE, [SHOP.id, STORE.id]);
    assert.match(await refusal(ledger, named('1'), [STORE.id]), /The watch store lists 1 of these pages/);
    const { pages, listed } = await survey(ledger, ALL_SHOP, [STORE.id]);
    assert.deepEqual([pages, [...listed]], [1, [[STORE.id, 1]]]);
    assert.deepEqual(await forget(ledger, ALL_SHOP, [STORE.id]), { pages: 1, kept: 1, sitemaps: 0, texts: 0 });
    assert.deepEqual(await readGenerations(ledger), [
      ['shop', '1', 1],
      ['store', '1', 0],
    ]);
  });
});
