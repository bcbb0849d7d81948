import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  type Site,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import { parseW3cDate } from '../../sitemap/lastmod.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { cancelBatch } from '../batches/cancel-batch.ts';
import { planRun } from '../plans/make-plan.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { observe } from './observe.ts';
import { getStoredSitemap } from './sitemaps.ts';

const NEWS = { ...WATCH, id: 'news' as WatchId };
let runs = 0;

/** One run with its plan; how many URLs it plans. */
async function plan(ledger: TestLedger, site: Site, watch = WATCH): Promise<number> {
  const run = `r${++runs}` as RunId;
  await crawled(ledger, run, site, { watch: watch.id, configured: [WATCH.id, NEWS.id] });
  const { urls } = await planRun(ledger, run, { account: ACCOUNT, watch });
  await endRun(ledger, run, 'finished');
  return urls;
}

async function buy(ledger: TestLedger, site: Site, watch = WATCH): Promise<number> {
  const urls = await plan(ledger, site, watch);
  await sendAll(ledger);
  await ledger.db.run(sql`UPDATE urls SET state = 'completed' WHERE state = 'submitted'`);
  ledger.pass(HOUR);
  return urls;
}

const cancelAll = async (ledger: TestLedger): Promise<void> => {
  for (const { id } of (await listPendingBatches(ledger, ACCOUNT.id)).batches) await cancelBatch(ledger, id, 'me');
};

describe('the versions of a page', () => {
  for (const other of ['+03:00', '.000Z'])
    testLedger(`that two watches write as Z and ${other} are bought once`, async (ledger) => {
      ledger.pass(60 * DAY);
      const bought = [];
      for (const day of ['2026-01-05', '2026-02-05', '2026-03-05']) {
        const theirs = other === '.000Z' ? `${day}T07:00:00.000Z` : `${day}T10:00:00+03:00`;
        bought.push(await buy(ledger, { a: [['1', `${day}T07:00:00Z`]] }));
        bought.push(await buy(ledger, { b: [['1', theirs]] }, NEWS));
      }
      assert.deepEqual(bought, [1, 0, 1, 0, 1, 0]);
    });

  testLedger('are due in the other watch again when the batch that had them is taken back', async (ledger) => {
    await buy(ledger, { a: [['1', '2026-01-01']] });
    await buy(ledger, { b: [['1', '2026-01-01']] }, NEWS);
    assert.equal(await plan(ledger, { a: [['1', '2026-01-09']] }), 1);
    assert.equal(await plan(ledger, { b: [['1', '2026-01-09']] }, NEWS), 0, 'the other watch has planned it');
    await cancelAll(ledger);
    assert.equal(await plan(ledger, { b: [['1', '2026-01-09']] }, NEWS), 1);
  });

  testLedger('that were bought are remembered when a later batch is taken back', async (ledger) => {
    await buy(ledger, { a: [['1', '2026-01-01']] });
    assert.equal(await plan(ledger, { a: [['1', '2026-01-09']] }), 1);
    await cancelAll(ledger);
    assert.equal(await buy(ledger, { a: [['1', '2026-01-01']] }), 0, 'the site has taken its change back');
    assert.equal(await buy(ledger, { a: [['1', '2026-01-09']] }), 1);
  });

  testLedger('that a baseline adopts count as bought', async (ledger) => {
    await crawled(ledger, 'first', { a: [['1', '2026-01-05']] }, { firstRun: 'baseline' });
    await endRun(ledger, 'first' as RunId, 'finished');
    await crawled(ledger, 'later', { a: [['1', '2026-01-09']] });
    await endRun(ledger, 'later' as RunId, 'finished');
    assert.equal(await buy(ledger, { a: [['1', '2026-01-05']] }), 0, 'taken back before it was bought');
    assert.equal(await buy(ledger, { a: [['1', '2026-01-03']] }), 0, 'backdated');
    assert.equal(await buy(ledger, { a: [['1', '2026-01-10']] }), 1);
  });

  testLedger('in a file that lists a page twice are the later one, in whichever order', async (ledger) => {
    const dates = [
      ['1', '2026-01-01'],
      ['1', '2026-01-02'],
    ] as const;
    assert.equal(await buy(ledger, { a: dates }), 1);
    for (let night = 0; night < 2; night += 1) {
      assert.equal(await buy(ledger, { a: dates.toReversed() }), 0);
      assert.equal(await buy(ledger, { a: dates }), 0);
    }
    assert.equal(await buy(ledger, { a: [dates[0], ['1', '2026-01-03']] }), 1);
  });
});

describe('a visit that broke off', () => {
  testLedger('leaves nothing that the next visit would trust', async (ledger) => {
    await buy(ledger, { a: [['1', '2026-01-01'], '2'] });
    const stored = async (run: string) => getStoredSitemap(ledger, run as RunId, 'a');
    assert.notEqual(await stored(`r${runs}`), undefined);
    await completeRun(ledger, 'cut', { a: { cut: [['1', '2026-01-05']] } });
    assert.equal(await stored('cut'), undefined, 'no validators');
    assert.equal(await buy(ledger, { a: [['1', '2026-01-05'], '2'] }), 1, 'the change was there');
    await completeRun(ledger, 'same', { a: { cut: [['1', '2026-01-05']] } });
    assert.notEqual(await stored('same'), undefined, 'it has shown nothing else');
  });

  testLedger('nor what is written before it breaks off', async (ledger) => {
    const pages = Array.from({ length: 50_001 }, (_, n) => ({
      url: shopUrl(`${n}`),
      version: parseW3cDate('2026-01-01'),
    }));
    const start = { watch: WATCH.id, account: ACCOUNT.id, sources: ['a'], scope: '', firstRun: 'submit' } as const;
    await beginRun(ledger, { ...start, run: 'one' as RunId });
    const one = await observe(ledger, 'one' as RunId);
    await one.entries('a', pages);
    const known = { kind: 'urlset', urls: pages.length, fingerprint: 'a', bytes: 1, tookMs: 1 } as const;
    await one.verdict('a', { verdict: 'complete', ...known });
    await ledger.db.run(sql`UPDATE urls SET due = NULL, generation = 1, bought_at = 1, bought_version = version`);
    await endRun(ledger, 'one' as RunId, 'finished');
    // A worker dies after the first rows of the visit are written.
    await beginRun(ledger, { ...start, run: 'two' as RunId });
    const two = await observe(ledger, 'two' as RunId);
    await two.entries(
      'a',
      pages.map(({ url }) => ({ url, version: parseW3cDate('2026-01-05') })),
    );
    assert.equal(await getStoredSitemap(ledger, 'two' as RunId, 'a'), undefined);
    await endRun(ledger, 'two' as RunId, 'abandoned');
    await beginRun(ledger, { ...start, run: 'three' as RunId });
    const three = await observe(ledger, 'three' as RunId);
    await three.entries('a', pages);
    await three.verdict('a', { verdict: 'complete', ...known });
    const { later } = await ledger.db.one(sql<{ later: number }>`
      SELECT count(*) AS later FROM urls WHERE version <> bought_version`);
    assert.equal(later, 0);
  });
});

describe('a sitemap that writes the time of the fetch', () => {
  const pages = Array.from({ length: 20 }, (_, n) => `${n}`);
  const stamped = (ledger: TestLedger, count = 20): Site => ({
    a: pages.slice(0, count).map((page) => [page, new Date(ledger.now() - 60_000).toISOString()] as const),
  });

  testLedger('has changed no page; dates that stand until a later fetch count', async (ledger) => {
    assert.equal(await buy(ledger, stamped(ledger)), 20);
    assert.equal(await buy(ledger, stamped(ledger)), 0);
    const now = stamped(ledger).a as readonly (readonly [string, string])[];
    ledger.pass(HOUR);
    assert.equal(await buy(ledger, { a: [...now.slice(0, 19), ['19', new Date(ledger.now()).toISOString()]] }), 20);
  });

  testLedger('with fewer than 20 pages may have edited them all', async (ledger) => {
    assert.equal(await buy(ledger, stamped(ledger, 19)), 19);
    assert.equal(await buy(ledger, stamped(ledger, 19)), 19);
  });

  testLedger('is reported', async (ledger) => {
    const start = { watch: WATCH.id, account: ACCOUNT.id, sources: ['a'], scope: '', firstRun: 'submit' } as const;
    const known = { kind: 'urlset', urls: 20, fingerprint: 'a', bytes: 1, tookMs: 1 } as const;
    const reported = [];
    for (const run of ['one', 'two', 'three'] as RunId[]) {
      await beginRun(ledger, { ...start, run });
      const observation = await observe(ledger, run);
      const version = parseW3cDate(new Date(ledger.now() - (run === 'three' ? DAY : 0)).toISOString());
      await observation.entries(
        'a',
        pages.map((page) => ({ url: shopUrl(page), version })),
      );
      reported.push((await observation.verdict('a', { verdict: 'complete', ...known })).isStamped);
      await endRun(ledger, run, 'finished');
      ledger.pass(HOUR);
    }
    assert.deepEqual(reported, [false, true, false]);
  });
});
