/**
 * What a run costs when everything is due: 5,000,000 new URLs are judged, planned and released again, on SQLite. For each
 * step: wall and CPU seconds, and how long the event loop was held at most: by the clock, and in CPU time of the main
 * thread, which other work on the machine does not lengthen. Run: npm run bench:plan -- [--urls N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Micros, ZERO } from '../contract/money.ts';
import { sql } from '../src/database/sql.ts';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import { observe } from '../src/ledger/crawl/observe.ts';
import { type Ledger, openLedger } from '../src/ledger/open-ledger.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { previewRuns } from '../src/ledger/plans/preview-runs.ts';
import type { AccountPolicy, WatchPolicy } from '../src/ledger/policy.ts';
import { judgeRun } from '../src/ledger/runs/judge-run.ts';
import { beginRun } from '../src/ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../src/submission/ids.ts';
import type { Url } from '../src/url/normalize-url.ts';

const { values } = parseArgs({ options: { urls: { type: 'string' } } });
const URLS = Number(values.urls ?? 5_000_000);
const PER_SITEMAP = 50_000;
const CHUNK = 1_000;
const TICK_MS = 5;
const RUN = 'bench' as RunId;

const account: AccountPolicy = {
  id: 'main' as AccountId,
  baseUrl: 'https://service.example/api/v1',
  pricePerUrl: { standard: 250_000 as Micros, fast: 250_000 as Micros },
  spend: { perDay: null, perMonth: null, balanceFloor: ZERO },
};
const watch: WatchPolicy = {
  id: 'shop' as WatchId,
  project: 'Shop',
  service: 'standard',
  retryFailed: { times: 1, afterMs: 0 },
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  spend: { perRun: null, perDay: null, perMonth: null },
};
const guard = { maxNew: null, maxNewPercent: null, maxChanged: null, maxChangedPercent: null, maxGonePercent: null };

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

/** Runs the work beside a ticker that sees how long the event loop is held. */
async function measure<T>(name: string, work: () => Promise<T>): Promise<T> {
  let longest = 0;
  let longestCpu = 0;
  let at = performance.now();
  let cpuAt = seconds(process.threadCpuUsage());
  const tick = () => {
    const [now, cpuNow] = [performance.now(), seconds(process.threadCpuUsage())];
    longest = Math.max(longest, now - at - TICK_MS);
    longestCpu = Math.max(longestCpu, (cpuNow - cpuAt) * 1_000);
    [at, cpuAt] = [now, cpuNow];
  };
  const ticker = setInterval(tick, TICK_MS);
  const began = performance.now();
  const cpu = process.cpuUsage();
  try {
    return await work();
  } finally {
    tick();
    clearInterval(ticker);
    const figures = [
      `${((performance.now() - began) / 1_000).toFixed(1)} s`,
      `CPU ${seconds(process.cpuUsage(cpu)).toFixed(1)} s`,
      `longest hold ${longest.toFixed(0)} ms (CPU ${longestCpu.toFixed(0)} ms)`,
      `RSS ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
    ];
    process.stdout.write(`${name.padEnd(12)} ${figures.join(', ')}\n`);
  }
}

async function crawl(ledger: Ledger): Promise<void> {
  const sources = Array.from({ length: Math.ceil(URLS / PER_SITEMAP) }, (_, n) => `https://shop.example/map-${n}.xml`);
  await beginRun(ledger, { watch: watch.id, account: account.id, run: RUN, sources, scope: '', firstRun: 'submit' });
  const observation = await observe(ledger, RUN);
  for (const [n, sitemap] of sources.entries()) {
    const last = Math.min((n + 1) * PER_SITEMAP, URLS);
    for (let from = n * PER_SITEMAP; from < last; from += CHUNK) {
      const entries = Array.from({ length: Math.min(CHUNK, last - from) }, (_, at) => ({
        url: `https://shop.example/category-${(from + at) % 97}/products/product-${from + at}-of-some-length.html` as Url,
        lastmod: '2026-01-01',
        lastmodAt: Date.UTC(2026, 0, 1),
      }));
      await observation.entries(sitemap, entries);
      // The network comes between two chunks of a real crawl.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await observation.verdict(sitemap, { verdict: 'complete', kind: 'urlset', urls: PER_SITEMAP, fingerprint: `${n}` });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'courier-bench-'));
try {
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
  process.stdout.write(`${URLS.toLocaleString('en-US')} new URLs\n`);
  await measure('crawl', () => crawl(ledger));
  await measure('diff', () => diffRun(ledger, RUN, { complete: true }));
  const input = { account, watch };
  await measure('judge', () => judgeRun(ledger, RUN, guard, { input }));
  await measure('preview', () => previewRuns(ledger, [{ run: RUN, input }]));
  const plan = await measure('plan', () => planRun(ledger, RUN, input));
  const { planned } = await ledger.db.one(sql<{ planned: number }>`
    SELECT count(*) AS planned FROM urls WHERE state = 'planned'`);
  process.stdout.write(`${plan.batches} batches, ${planned} URLs planned\n`);
  await ledger.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
