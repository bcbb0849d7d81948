import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig } from '../src/config/load.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { getRunSummary } from '../src/ledger/reports/run-summary.ts';
import { beginRun, endRun } from '../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import { urlset } from '../test/support/sitemap/collect.ts';
import { serve } from '../test/support/sitemap/server.ts';
import { observeCrawl } from './observe-crawl.ts';
import { runStart } from './run-start.ts';

const PAGES = ['https://shop.example/a', 'https://shop.example/drafts/1', 'https://cdn.example/old/1'];

async function crawlWith(scope: string, sitemaps: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-observe-'));
  const ledger = await openLedger('sqlite::memory:');
  try {
    for (const [name, text] of Object.entries(sitemaps)) writeFileSync(join(folder, name), text);
    const config = readConfig(
      `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { shop: { account: main, sitemaps: [${Object.keys(sitemaps).join(', ')}], ${scope} } }`,
      join(folder, 'courier.yaml'),
    );
    const watch = config.watches.get('shop' as WatchId);
    assert.ok(watch);
    const run = 'r1' as RunId;
    await beginRun(ledger, runStart(watch, run));
    const report = await observeCrawl(ledger, watch, run, new AbortController().signal).report;
    const { unmatchedRules } = await getRunSummary(ledger, run);
    assert.deepEqual(report.unmatchedRules, unmatchedRules, 'the run keeps what the crawl reports');
    return unmatchedRules;
  } finally {
    await ledger.close();
    rmSync(folder, { recursive: true });
  }
}

describe('observeCrawl', () => {
  const site = { 'a.xml': urlset(...PAGES.slice(0, 2)), 'b.xml': urlset(...PAGES.slice(2)) };

  test('reports the hosts and globs that matched no URL of a complete crawl', async () => {
    const scope = 'hosts: [shop.example, img.example], include: ["/**"], exclude: ["/drafts/**", "/old/**", "/x"]';
    const unmatched = await crawlWith(scope, site);
    assert.deepEqual(unmatched, ['host img.example', 'exclude /old/**', 'exclude /x'], 'globs count on own hosts only');
  });

  test('a rule that one of the sitemaps needs is not reported', async () => {
    const scope = 'hosts: [shop.example, cdn.example], exclude: ["/drafts/**", "/old/**"]';
    assert.deepEqual(await crawlWith(scope, site), []);
  });

  test('an incomplete crawl reports none: the rest may match', async () => {
    const cut = { ...site, 'b.xml': '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https' };
    assert.deepEqual(await crawlWith('hosts: [shop.example], exclude: ["/old/**"]', cut), []);
  });
});

describe('a run of a site that answers 304', () => {
  test('keeps what was not transferred, also when its crawl is resumed', async (t) => {
    const body = urlset(...PAGES);
    await using server = await serve({
      '/s.xml': ({ headers }, response) => {
        if (headers['if-none-match'] === '"v1"') response.writeHead(304).end();
        else response.writeHead(200, { etag: '"v1"' }).end(body);
      },
    });
    const ledger = await openLedger('sqlite::memory:');
    t.after(() => ledger.close());
    const config = readConfig(
      `version: 1
accounts: { main: { base_url: "https://x.example/api/v1", api_key: { env: X } } }
watches: { shop: { account: main, sitemaps: ["${server.origin}/s.xml"], hosts: ["*"], allow_private_hosts: [127.0.0.1] } }`,
      'courier.yaml',
    );
    const watch = config.watches.get('shop' as WatchId);
    assert.ok(watch);
    const crawlRun = async (name: string) => {
      const run = name as RunId;
      await beginRun(ledger, runStart(watch, run));
      const read = async () => (await observeCrawl(ledger, watch, run, new AbortController().signal).report).saved;
      const saved = await read();
      assert.deepEqual(await read(), saved, 'a second attempt of the crawl');
      assert.deepEqual((await getRunSummary(ledger, run)).saved, saved);
      await endRun(ledger, run, 'finished');
      return saved;
    };
    assert.deepEqual(await crawlRun('r1'), { sitemaps: 0, bytes: 0, ms: 0 });
    const again = await crawlRun('r2');
    assert.deepEqual([again?.sitemaps, again?.bytes], [1, Buffer.byteLength(body)]);
  });
});
