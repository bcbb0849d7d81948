/**
 * Two processes on one SQLite ledger: does either starve? First a small watch is read and planned again and again, alone;
 * then beside another process that does the same with a large one; then two large ones at a time. For each: how long a run
 * of a watch takes. Run: npm run bench:two-workers -- [--urls N]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import type { ObservedEntry } from '../src/ledger/crawl/found.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { planRun } from '../src/ledger/plans/make-plan.ts';
import type { RunId, WatchId } from '../src/submission/ids.ts';
import type { Url } from '../src/url/normalize-url.ts';
import { makeVersion, SPAN } from '../src/url/version.ts';
import { crawlPages, getInput } from './plan/large-run.ts';

const SMALL = 10;
const ALONE_RUNS = 200;

const { values } = parseArgs({
  options: {
    urls: { type: 'string' },
    database: { type: 'string' },
    watch: { type: 'string' },
    small: { type: 'boolean' },
  },
});
const URLS = Number(values.urls ?? 500_000);

const toEntry = (watch: WatchId, n: number): ObservedEntry => ({
  url: `https://${watch}.example/category-${n % 97}/products/product-${n}-of-some-length.html` as Url,
  version: makeVersion(Date.UTC(2026, 0, 1), SPAN.day),
});

/** A process of its own: sends the milliseconds of each run of its watch to its parent. */
async function work(database: string, watch: WatchId, small: boolean): Promise<void> {
  const ledger = await openLedger(database);
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  for (let n = 0; small ? !isOver : n < 1; n++) {
    const began = performance.now();
    const run = `${watch}-${n}` as RunId;
    const each = small ? (`${watch}-${n}` as WatchId) : watch;
    await crawlPages(ledger, { watch: each, run, urls: small ? SMALL : URLS, toEntry: (at) => toEntry(each, at) });
    await diffRun(ledger, run, { complete: true });
    await planRun(ledger, run, getInput(each));
    process.send?.(performance.now() - began);
  }
  await ledger.close();
  process.disconnect();
}

interface Started {
  readonly took: number[];
  stop(): void;
  readonly ended: Promise<unknown>;
}

function start(database: string, watch: string, small: boolean): Started {
  const args = ['--database', database, '--watch', watch, '--urls', `${URLS}`, ...(small ? ['--small'] : [])];
  const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const took: number[] = [];
  child.on('message', (ms: number) => took.push(ms));
  const ended = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`the process of ${watch} ended with ${code}`);
  });
  return { took, ended, stop: () => child.connected && child.send('stop') };
}

function report(name: string, took: readonly number[]): void {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)} ms`;
  process.stdout.write(`${name}: ${took.length} runs, median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}\n`);
}

async function compare(folder: string): Promise<void> {
  const open = async (name: string) => {
    const url = `sqlite:${join(folder, name)}`;
    await (await openLedger(url)).close();
    return url;
  };
  const alone = start(await open('alone.db'), 'small', true);
  while (alone.took.length < ALONE_RUNS) await new Promise((resolve) => setTimeout(resolve, 100));
  alone.stop();
  await alone.ended;
  report(`${SMALL} URLs alone`, alone.took);

  const mixed = await open('mixed.db');
  const [small, large] = [start(mixed, 'small', true), start(mixed, 'large', false)];
  await large.ended;
  small.stop();
  await small.ended;
  report(`${SMALL} URLs beside ${URLS.toLocaleString('en-US')}`, small.took);
  report(`${URLS.toLocaleString('en-US')} URLs beside those`, large.took);

  const both = await open('both.db');
  const two = [start(both, 'first', false), start(both, 'second', false)] as const;
  await Promise.all(two.map(({ ended }) => ended));
  for (const [n, { took }] of two.entries())
    report(`${URLS.toLocaleString('en-US')} URLs, ${n + 1} of two at a time`, took);
}

if (values.database !== undefined) await work(values.database, values.watch as WatchId, values.small === true);
else {
  const folder = mkdtempSync(join(tmpdir(), 'courier-two-workers-'));
  try {
    await compare(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
