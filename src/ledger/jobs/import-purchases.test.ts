import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  QUARTER,
  sendAll,
  shopUrl,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { RunId } from '../../submission/ids.ts';
import { makeVersion, SPAN } from '../../url/version.ts';
import type { Ledger } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import { eachPurchasedPage } from '../reports/purchased-urls.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { type ImportedUrl, importPurchases } from './import-purchases.ts';

const INPUT = { watch: WATCH, account: ACCOUNT };
const TO = { account: ACCOUNT.id, watch: WATCH.id };

const bought = (path: string, more: Partial<ImportedUrl> = {}): ImportedUrl => ({
  url: shopUrl(path),
  state: 'known',
  generation: 1,
  failures: 0,
  boughtAt: Date.UTC(2025, 11, 1),
  version: null,
  ...more,
});

/** Crawls and plans; returns what the run buys. */
async function buy(ledger: Ledger, run: string, pages: Parameters<typeof crawled>[2][string]): Promise<number> {
  await crawled(ledger, run, { '/s.xml': pages });
  const { urls } = await planRun(ledger, run as RunId, INPUT);
  await sendAll(ledger);
  await endRun(ledger, run as RunId, 'finished');
  return urls;
}

describe('import of purchases', () => {
  testLedger('what is imported is not bought, in an empty ledger and beside what is due', async (ledger) => {
    assert.deepEqual(await importPurchases(ledger, TO, [bought('a'), bought('b')], { write: true }), {
      added: 2,
      marked: 0,
      known: 0,
    });
    await crawled(ledger, 'r1', { '/s.xml': ['a', 'b', 'c', 'd'] });
    await endRun(ledger, 'r1' as RunId, 'previewed');
    const more = await importPurchases(ledger, TO, [bought('c'), bought('a')], { write: true });
    assert.deepEqual(more, { added: 0, marked: 1, known: 1 }, 'one that was due, and one that is known');
    assert.equal(await buy(ledger, 'r2', ['a', 'b', 'c', 'd']), 1, 'only what nobody bought');
    const [history] = await getUrlHistory(ledger, shopUrl('a'));
    assert.deepEqual([history?.state, history?.goneRun, history?.due], ['known', null, null]);
    assert.equal(history?.reason, 'imported as already submitted');
  });

  testLedger('a second import changes nothing, and a trial writes nothing', async (ledger) => {
    const urls = [bought('a'), bought('b', { state: 'completed', generation: 3 })];
    const trial = await importPurchases(ledger, TO, urls, { write: false });
    assert.deepEqual(trial, { added: 2, marked: 0, known: 0 });
    assert.deepEqual(await getUrlHistory(ledger, shopUrl('a')), []);
    assert.deepEqual(await importPurchases(ledger, TO, urls, { write: true }), trial, 'as the trial said');
    const before = await getUrlHistory(ledger, shopUrl('b'));
    const again = urls.map((url) => ({ ...url, generation: 9 }));
    assert.deepEqual(await importPurchases(ledger, TO, again, { write: true }), { added: 0, marked: 0, known: 2 });
    assert.deepEqual(await getUrlHistory(ledger, shopUrl('b')), before);
  });

  for (const [failures, urls] of [
    [0, 1],
    [1, 1],
    [2, 0],
  ] as const) {
    testLedger(`a page that failed ${failures} times in a row is bought again ${urls} times`, async (ledger) => {
      await importPurchases(ledger, TO, [bought('a', { state: 'failed', failures })], { write: true });
      assert.equal(await buy(ledger, 'r1', ['a']), urls);
      assert.equal((await getUrlHistory(ledger, shopUrl('a')))[0]?.state, urls === 1 ? 'submitted' : 'quarantined');
    });
  }

  testLedger('a page that changed since it was bought is due as a changed one', async (ledger) => {
    const lastmod = { version: makeVersion(Date.UTC(2026, 0, 1), SPAN.day) };
    await importPurchases(ledger, TO, [bought('a', lastmod), bought('b', lastmod), bought('c')], { write: true });
    const pages = [
      ['a', '2026-01-01'],
      ['b', '2026-01-09'],
      ['c', '2026-01-09'],
    ] as const;
    assert.equal(await buy(ledger, 'r1', pages), 1, 'b: of c no lastmod was known');
    const [history] = await getUrlHistory(ledger, shopUrl('b'));
    assert.deepEqual([history?.generation, history?.purchases[0]?.charge], [2, QUARTER]);
  });

  testLedger('a URL that differs in its final slash alone is the same page', async (ledger) => {
    await completeRun(ledger, 'r1', { '/s.xml': ['dir/'] });
    assert.deepEqual(await importPurchases(ledger, TO, [bought('dir')], { write: true }), {
      added: 0,
      marked: 1,
      known: 0,
    });
    assert.equal(await buy(ledger, 'r2', ['dir/']), 0);
  });

  testLedger('a batch that waits to be sent holds up the import: it may have such a URL', async (ledger) => {
    await crawled(ledger, 'r1', { '/s.xml': ['a'] });
    await planRun(ledger, 'r1' as RunId, INPUT);
    await assert.rejects(importPurchases(ledger, TO, [bought('a')], { write: true }), /Batch 1 .*waits to be sent/);
    await sendAll(ledger);
    assert.deepEqual(await importPurchases(ledger, TO, [bought('a')], { write: true }), {
      added: 0,
      marked: 0,
      known: 1,
    });
  });

  testLedger('what is exported and imported buys nothing twice', async (ledger) => {
    assert.equal(await buy(ledger, 'r1', ['a', ['b', '2026-01-01']]), 2);
    const rows: string[] = [];
    for await (const page of eachPurchasedPage(ledger.db, []))
      rows.push(...page.map(({ url, state }) => `${url} ${state}`));
    assert.deepEqual(rows.toSorted(), ['https://shop.example/a submitted', 'https://shop.example/b submitted']);
    const none: unknown[] = [];
    for await (const page of eachPurchasedPage(ledger.db, ['other' as never])) none.push(...page);
    assert.deepEqual(none, [], 'only the watches that are named');
  });
});
