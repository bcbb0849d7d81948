/**
 * How fast the ledger takes a site of 1,000,000 URLs (20 child sitemaps, 64 MiB page cache, durable commits), without
 * the crawl: a first run, a run with 1% new, 1% changed and 1% gone, a run in which every URL is listed and none
 * changed, and a run in which every sitemap answers 304. Beside it, in the same process, a plain table with one
 * upsert a URL. Medians of `--rounds` (3), wall and CPU seconds: on a busy machine the second say more. Run: npm run bench:ledger -- [--urls N] [--rounds N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { diffRun } from '../src/ledger/crawl/diff-run.ts';
import type { ObservedEntry } from '../src/ledger/crawl/found.ts';
import { observe } from '../src/ledger/crawl/observe.ts';
import { openLedger } from '../src/ledger/open-ledger.ts';
import { beginRun, endRun } from '../src/ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../src/submission/ids.ts';
import type { Url } from '../src/url/normalize-url.ts';
import { makeVersion, SPAN } from '../src/url/version.ts';

const { values } = parseArgs({ options: { urls: { type: 'string' }, rounds: { type: 'string' } } });
const URLS = Number(values.urls ?? 1_000_000);
const ROUNDS = Number(values.rounds ?? 3);
const PER_SITEMAP = 50_000;
const CHUNK = 1_000;
const YESTERDAY = makeVersion(Date.UTC(2026, 0, 1), SPAN.day);
const TODAY = makeVersion(Date.UTC(2026, 0, 2), SPAN.day);

type RunKind = 'first' | 'some' | 'same' | 'not-modified';

/** The entries of a sitemap in a run, as a crawler hands them over. Made as they are used: they are not the ledger's. */
function* entriesOf(sitemap: number, kind: RunKind): Generator<ObservedEntry[]> {
  const last = Math.min((sitemap + 1) * PER_SITEMAP, URLS);
  let chunk: ObservedEntry[] = [];
  for (let n = sitemap * PER_SITEMAP; n < last; n++) {
    // 1% of the places hold another page than before, and 1% another version.
    const other = kind === 'some' && n % 100 === 17;
    const moved = kind === 'some' && n % 100 === 42;
    const name = other ? `fresh-product-${n}` : `product-${n}`;
    const at = moved ? TODAY : YESTERDAY;
    chunk.push({
      url: `https://shop.example/category-${n % 97}/products/${name}-of-some-length.html` as Url,
      version: at,
    });
    if (chunk.length === CHUNK) {
      yield chunk;
      chunk = [];
    }
  }
  if (chunk.length > 0) yield chunk;
}

const NAMES = ['first', 'some', 'same', 'not-modified', 'plain first', 'plain some'] as const;
type Name = (typeof NAMES)[number];
const figures = new Map<Name, { wall: number; cpu: number }[]>(NAMES.map((name) => [name, []]));

/** Adds up what lies between `start` and `stop`, in seconds. */
function stopwatch() {
  const sum = { wall: 0, cpu: 0 };
  let wall = 0;
  let cpu = process.cpuUsage();
  return {
    start() {
      wall = performance.now();
      cpu = process.cpuUsage();
    },
    stop() {
      const used = process.cpuUsage(cpu);
      sum.wall += (performance.now() - wall) / 1000;
      sum.cpu += (used.user + used.system) / 1e6;
    },
    into: (name: Name) => figures.get(name)!.push(sum),
  };
}

let peakRss = 0;
const noteRss = () => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
};

/** Seconds that the ledger takes for one run; making the entries is not counted. */
async function measureRun(
  ledger: Awaited<ReturnType<typeof openLedger>>,
  name: string,
  kind: RunKind,
): Promise<string> {
  const run = name as RunId;
  const sitemaps = Math.ceil(URLS / PER_SITEMAP);
  const sources = Array.from({ length: sitemaps }, (_, n) => `https://shop.example/sitemap-${n}.xml`);
  const spent = stopwatch();
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    spent.start();
    const result = await work();
    spent.stop();
    noteRss();
    return result;
  };
  const start = { watch: 'shop' as WatchId, account: 'main' as AccountId, run, sources, scope: '' };
  await timed(() => beginRun(ledger, { ...start, firstRun: 'baseline' }));
  const observation = await timed(() => observe(ledger, run));
  for (const [n, sitemap] of sources.entries()) {
    const known = { kind: 'urlset', urls: PER_SITEMAP, fingerprint: `${n} ${kind}`, bytes: 1, tookMs: 1 } as const;
    if (kind === 'not-modified') {
      await timed(() => observation.verdict(sitemap, { verdict: 'not-modified', ...known }));
      continue;
    }
    for (const entries of entriesOf(n, kind)) await timed(() => observation.entries(sitemap, entries));
    await timed(() => observation.verdict(sitemap, { verdict: 'complete', ...known }));
  }
  const diff = await timed(() => diffRun(ledger, run, { complete: true }));
  await timed(() => endRun(ledger, run, 'finished'));
  spent.into(kind);
  return `${diff.new} new, ${diff.changed} changed, ${diff.gone} gone, ${diff.known} known`;
}

/** The obvious ledger: a row for each URL, upserted in every run. */
function plainUpserts(folder: string): void {
  const db = new DatabaseSync(join(folder, 'plain.db'));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
    CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, version INTEGER, seen INTEGER NOT NULL)`);
  const upsert = db.prepare(`INSERT INTO urls (url, version, seen) VALUES (?, ?, ?)
    ON CONFLICT (url) DO UPDATE SET version = excluded.version, seen = excluded.seen`);
  for (const kind of ['first', 'some'] as const) {
    const spent = stopwatch();
    for (let n = 0; n < Math.ceil(URLS / PER_SITEMAP); n++) {
      db.exec('BEGIN IMMEDIATE');
      for (const entries of entriesOf(n, kind)) {
        spent.start();
        for (const { url, version } of entries) upsert.run(url, version, kind === 'first' ? 1 : 2);
        spent.stop();
      }
      spent.start();
      db.exec('COMMIT');
      spent.stop();
    }
    spent.into(kind === 'first' ? 'plain first' : 'plain some');
  }
  db.close();
}

for (let round = 1; round <= ROUNDS; round++) {
  const folder = mkdtempSync(join(tmpdir(), 'courier-bench-'));
  try {
    const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`);
    const seen = [
      `first: ${await measureRun(ledger, 'r1', 'first')}`,
      `some: ${await measureRun(ledger, 'r2', 'some')}`,
      `back: ${await measureRun(ledger, 'r3', 'first')}`,
      `same: ${await measureRun(ledger, 'r4', 'same')}`,
      `304: ${await measureRun(ledger, 'r5', 'not-modified')}`,
    ];
    figures.get('first')!.pop();
    await ledger.close();
    if (round === 1) process.stderr.write(`${seen.join('\n')}\n`);
    const rss = peakRss;
    plainUpserts(folder);
    peakRss = rss;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (name: Name, what: 'wall' | 'cpu'): number => {
  const list = figures.get(name)!.map((each) => each[what]);
  return list.toSorted((a, b) => a - b)[list.length >> 1]!;
};
const figure = (name: Name, plain?: Name): string => {
  const times = `${median(name, 'wall').toFixed(2)} s (CPU ${median(name, 'cpu').toFixed(2)} s)`;
  if (plain === undefined) return times;
  return `${times}, plain upserts take ${(median(plain, 'cpu') / median(name, 'cpu')).toFixed(1)} times the CPU`;
};
process.stdout.write(`${URLS.toLocaleString('en-US')} URLs, median of ${ROUNDS}
first run              ${figure('first', 'plain first')}
1% new, changed, gone  ${figure('some', 'plain some')}
all there, unchanged   ${figure('same', 'plain some')}
all not modified       ${figure('not-modified')}
plain upserts          first ${figure('plain first')}, next ${figure('plain some')}
peak RSS of the ledger's runs  ${(peakRss / 1024 / 1024).toFixed(0)} MB
`);
