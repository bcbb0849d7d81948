/**
 * What runs cost when everything is due, and when 1% is: a first run of 5,000,000 new URLs is crawled, judged and planned;
 * then all of it is bought, and a run with 1% new, 1% changed and 1% gone follows. On SQLite, or in a schema of its own on
 * Postgres, which is vacuumed in between as autovacuum does within a day. For each step: wall and CPU seconds of this
 * process and, of a Postgres on this machine, of its connection; and how long the event loop was held at most: by the clock, and in CPU time of the main thread, which other
 * work on the machine does not lengthen. Run: npm run bench:plan -- [--urls N] [--postgres URL]
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { raw, sql } from '../src/database/sql.ts';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import type { ObservedEntry } from '../src/ledger/crawl/found.ts';
import { type Ledger, openLedger } from '../src/ledger/open-ledger.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import { judgeRun } from '../src/ledger/runs/judge-run.ts';
import { endRun } from '../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import type { Url } from '../src/url/normalize-url.ts';
import { crawlPages, getInput, guard } from './plan/large-run.ts';

const { values } = parseArgs({ options: { urls: { type: 'string' }, postgres: { type: 'string' } } });
const URLS = Number(values.urls ?? 5_000_000);
const TICK_MS = 5;
const FIRST = 'first' as RunId;
const NEXT = 'next' as RunId;
const WATCH = 'shop' as WatchId;

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;

/** The processes of the connections to a Postgres on this machine. */
let backends: readonly number[] = [];
const TICKS_PER_SECOND = 100;

/** CPU seconds of the connections so far; 0 where their processes are elsewhere. */
function getServerCpu(): number {
  let ticks = 0;
  for (const pid of backends) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  }
  return ticks / TICKS_PER_SECOND;
}

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
  const serverCpu = getServerCpu();
  try {
    return await work();
  } finally {
    tick();
    clearInterval(ticker);
    const figures = [
      `${((performance.now() - began) / 1_000).toFixed(1)} s`,
      `CPU ${seconds(process.cpuUsage(cpu)).toFixed(1)} s`,
      ...(backends.length === 0 ? [] : [`CPU of Postgres ${(getServerCpu() - serverCpu).toFixed(1)} s`]),
      `longest hold ${longest.toFixed(0)} ms (CPU ${longestCpu.toFixed(0)} ms)`,
      `RSS ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MiB`,
    ];
    process.stdout.write(`${name.padEnd(14)} ${figures.join(', ')}\n`);
  }
}

/** The page at a place of the site. In the next run 1% of the places hold another page, and 1% another lastmod. */
function toEntry(n: number, run: RunId): ObservedEntry {
  const name = run === NEXT && n % 100 === 17 ? `fresh-product-${n}` : `product-${n}`;
  const day = run === NEXT && n % 100 === 42 ? 2 : 1;
  return {
    url: `https://shop.example/category-${n % 97}/products/${name}-of-some-length.html` as Url,
    lastmod: `2026-01-0${day}`,
    lastmodAt: Date.UTC(2026, 0, day),
  };
}

/** Everything that was planned is bought and done, as when the service has worked on it for a day. */
async function completeAll({ db }: Ledger): Promise<void> {
  await db.run(sql`
    UPDATE batches SET state = 'accepted', accepted_at = planned_at, ended_at = planned_at, settled_at = planned_at,
      reference = 'job-' || id, completed = urls`);
  await db.run(sql`
    UPDATE urls SET state = 'completed', bought_at = ${Date.now()}, completed_at = ${Date.now()} WHERE state = 'planned'`);
  if (db.dialect === 'postgres') await db.run(raw('VACUUM (ANALYZE) urls, batches, batch_urls'));
}

async function measureRun(ledger: Ledger, run: RunId): Promise<void> {
  const input = getInput(WATCH);
  const began = performance.now();
  await measure(`${run}: crawl`, () => crawlPages(ledger, { watch: WATCH, run, urls: URLS, toEntry }));
  await measure(`${run}: diff`, () => diffRun(ledger, run, { complete: true }));
  await measure(`${run}: judge`, () => judgeRun(ledger, run, guard, { input }));
  const plan = await measure(`${run}: plan`, () => planRun(ledger, run, input));
  await endRun(ledger, run, 'finished');
  const wall = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${run}: ${plan.urls} URLs in ${plan.batches} batches; ${((wall * 1e6) / URLS).toFixed(1)} s a million URLs\n`,
  );
}

async function measureLedger(url: string): Promise<void> {
  const ledger = await openLedger(url);
  try {
    if (ledger.db.dialect === 'postgres') {
      backends = (await ledger.db.all(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`)).map(({ pid }) => pid);
    }
    await measureRun(ledger, FIRST);
    await measure('complete', () => completeAll(ledger));
    await measureRun(ledger, NEXT);
  } finally {
    if (ledger.db.schema !== undefined) await ledger.db.run(raw(`DROP SCHEMA ${ledger.db.schema} CASCADE`));
    await ledger.close();
  }
}

process.stdout.write(`${URLS.toLocaleString('en-US')} URLs\n`);
if (values.postgres !== undefined) {
  const url = new URL(values.postgres);
  url.searchParams.set('schema', `courier_bench_${process.pid}`);
  await measureLedger(url.href);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'courier-bench-'));
  try {
    await measureLedger(`sqlite:${join(folder, 'ledger.db')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
