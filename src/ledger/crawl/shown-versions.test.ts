import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
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
import type { Version } from '../../url/version.ts';
import { planRun } from '../plans/make-plan.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { observe } from './observe.ts';
import { showVersion } from './shown-versions.ts';

let runs = 0;

/** A run that buys nothing. */
async function see(ledger: TestLedger, site: Site): Promise<void> {
  await completeRun(ledger, `r${++runs}`, site);
  ledger.pass(HOUR);
}

/** A run that buys what is due; how many URLs that are. */
async function buy(ledger: TestLedger, site: Site, watch = WATCH): Promise<number> {
  const run = `r${++runs}` as RunId;
  await crawled(ledger, run, site, { watch: watch.id, configured: [watch.id] });
  const { urls } = await planRun(ledger, run, { account: ACCOUNT, watch });
  await endRun(ledger, run, 'finished');
  await sendAll(ledger);
  await ledger.db.run(sql`UPDATE urls SET state = 'completed' WHERE state = 'submitted'`);
  ledger.pass(HOUR);
  return urls;
}

const page = (lastmod: string): Site[string] => [['1', lastmod]];
const readShown = async (ledger: TestLedger): Promise<string | null> =>
  (await ledger.db.one(sql<{ shown_versions: string | null }>`SELECT shown_versions FROM urls LIMIT 1`)).shown_versions;

describe('a page that several files show', () => {
  for (const [first, second] of ['ab', 'ba'])
    testLedger(
      `for the first time, ${first} before ${second}, is bought with what both of them show`,
      async (ledger) => {
        const site: Site = { a: page('2026-01-05'), b: page('2026-01-09') };
        await see(ledger, { [first!]: site[first!]!, [second!]: site[second!]! });
        assert.equal(await buy(ledger, { a: page('2026-01-03'), b: page('2026-01-09') }), 1);
        assert.equal(await buy(ledger, { a: page('2026-01-03'), b: page('2026-01-09T10:00:00Z') }), 0, 'the same edit');
        assert.equal(await buy(ledger, { a: page('2026-01-12'), b: page('2026-01-09T10:00:00Z') }), 1);
      },
    );

  for (const [what, other] of [
    ['an older', '2026-01-03'],
    ['the same', '2026-01-05'],
  ] as const)
    testLedger(`has changed while one of them shows ${what} edit that is not bought`, async (ledger) => {
      assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page('2026-01-01') }), 1);
      await see(ledger, { a: page('2026-01-05'), b: page(other) });
      assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page(other) }), 1, 'b has taken nothing back');
      assert.equal(await readShown(ledger).then((shown) => shown === null), false);
      assert.equal(await buy(ledger, { a: page('2026-01-02'), b: page(other) }), 0);
      assert.equal(await readShown(ledger), null, 'all of it is bought');
    });

  testLedger('has not changed once all of them have taken it back', async (ledger) => {
    assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page('2026-01-01') }), 1);
    await see(ledger, { a: page('2026-01-05'), b: page('2026-01-03') });
    assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page('2026-01-01') }), 0);
  });

  testLedger('has changed where the file that shows it lists it no longer', async (ledger) => {
    assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page('2026-01-01') }), 1);
    await see(ledger, { a: page('2026-01-05'), b: page('2026-01-03') });
    await see(ledger, { a: page('2026-01-05'), b: [] });
    assert.equal(await buy(ledger, { a: page('2026-01-01'), b: [] }), 1);
  });

  testLedger('keeps what each of them shows when its watch is renamed', async (ledger) => {
    assert.equal(await buy(ledger, { a: page('2026-01-01') }), 1);
    const renamed = { ...WATCH, id: 'renamed' as WatchId };
    const run = 'renamed' as RunId;
    await crawled(
      ledger,
      run,
      { a: page('2026-01-05'), b: page('2026-01-03') },
      { watch: renamed.id, configured: [renamed.id] },
    );
    await endRun(ledger, run, 'finished');
    assert.equal(await buy(ledger, { a: page('2026-01-01'), b: page('2026-01-03') }, renamed), 1);
  });

  testLedger('keeps both where they are read side by side', async (ledger) => {
    const paths = Array.from({ length: 300 }, (_, n) => `${n}`);
    const list = (lastmod: string): Site[string] => paths.map((path) => [path, lastmod]);
    assert.equal(await buy(ledger, { a: list('2026-01-01'), b: list('2026-01-01') }), 300);
    const run = 'side-by-side' as RunId;
    const start = { watch: WATCH.id, account: ACCOUNT.id, run, sources: [], scope: '', firstRun: 'submit' } as const;
    await beginRun(ledger, start);
    const observation = await observe(ledger, run);
    const show = async (file: string, lastmod: string) => {
      const version = parseW3cDate(lastmod);
      await observation.entries(
        file,
        paths.map((path) => ({ url: shopUrl(path), version })),
      );
      const known = { kind: 'urlset', urls: 300, fingerprint: lastmod, bytes: 1, tookMs: 1 } as const;
      await observation.verdict(file, { verdict: 'complete', ...known });
    };
    await Promise.all([show('a', '2026-01-05'), show('b', '2026-01-03')]);
    await endRun(ledger, run, 'finished');
    assert.equal(await buy(ledger, { a: list('2026-01-01'), b: list('2026-01-03') }), 300);
  });
});

describe('showVersion', () => {
  const at = (text: string): Version => parseW3cDate(text)!;
  const row = (shown: Record<number, string> | null, version: string | null, bought: string | null = '2026-01-01') => ({
    sitemap_id: 1,
    version: version === null ? null : at(version),
    bought_version: bought === null ? null : at(bought),
    shown_versions:
      shown === null ? null : JSON.stringify(Object.fromEntries(Object.entries(shown).map(([id, v]) => [id, at(v)]))),
  });
  const after = (shown: Record<number, string>, version: string, own = version, sitemapId = 1) => {
    return { own: at(own), version: at(version), sitemapId, shown: row(shown, version).shown_versions };
  };

  test('begins with what the sitemap of the row has shown', () => {
    const both = { 1: '2026-01-05', 2: '2026-01-03' };
    const got = showVersion(row(null, '2026-01-05'), 2, at('2026-01-03'));
    assert.deepEqual(got, after(both, '2026-01-05', '2026-01-03'));
    const alone = showVersion(row(null, null, null), 2, at('2026-01-03'));
    assert.deepEqual(alone, after({ 2: '2026-01-03' }, '2026-01-03', '2026-01-03', 2));
  });

  test('gives the page to a sitemap that shows the latest', () => {
    const shown = { 1: '2026-01-05', 2: '2026-01-03', 3: '2026-01-04' };
    const got = showVersion(row(shown, '2026-01-05'), 1, at('2026-01-02'));
    assert.deepEqual(got, after({ ...shown, 1: '2026-01-02' }, '2026-01-04', '2026-01-02', 3));
  });

  test('takes nothing back where it may be one edit', () => {
    const shown = { 1: '2026-01-05T10:00Z', 2: '2026-01-03' };
    const got = showVersion(row(shown, '2026-01-05T10:00Z'), 1, at('2026-01-05'));
    assert.deepEqual(got, after(shown, '2026-01-05T10:00Z'));
  });

  test('gives the page what is not bought, before what may be the same edit and is bought', () => {
    const got = showVersion(row(null, '2026-01-31', '2026-01-31T09:59:59Z'), 2, at('2026-02'));
    assert.deepEqual(got, after({ 1: '2026-01-31', 2: '2026-02' }, '2026-02', '2026-02', 2));
  });

  test('forgets what each shows once all of it is bought', () => {
    const shown = { 1: '2026-01-05', 2: '2026-01-03' };
    assert.equal(showVersion(row(shown, '2026-01-05', '2026-01-05'), 2, at('2026-01-04')).shown, null);
  });
});
