import { type Micros, ZERO } from '../../contract/money.ts';
import { sql } from '../../src/database/sql.ts';
import type { ObservedEntry } from '../../src/ledger/crawl/found.ts';
import { observe } from '../../src/ledger/crawl/observe.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../../src/ledger/policy.ts';
import { beginRun } from '../../src/ledger/runs/runs.ts';
import type { AccountId, RunId, WatchId } from '../../src/submission/ids.ts';
import { recognize, toChunk } from './chunk.ts';

const PER_SITEMAP = 50_000;
const CHUNK = 1_000;

export const account: AccountPolicy = {
  id: 'main' as AccountId,
  baseUrl: 'https://service.example/api/v1',
  pricePerUrl: { standard: 250_000 as Micros, fast: 250_000 as Micros },
  spend: { perDay: null, perMonth: null, balanceFloor: ZERO },
};
const shop: WatchPolicy = {
  id: 'shop' as WatchId,
  project: 'Shop',
  service: 'standard',
  retryFailed: { times: 1, afterMs: 0 },
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  spend: { perRun: null, perDay: null, perMonth: null },
};
export const guard = {
  maxNew: null,
  maxNewPercent: null,
  maxChanged: null,
  maxChangedPercent: null,
  maxGonePercent: null,
};

/** The policies of a watch of the account. */
export const getInput = (watch: string) => ({ account, watch: { ...shop, id: watch as WatchId, project: watch } });

export interface Pages {
  readonly watch: WatchId;
  readonly run: RunId;
  readonly urls: number;
  /** The page at a place of the site. */
  readonly toEntry: (n: number, run: RunId) => ObservedEntry;
  /** Asked before each sitemap. Default: there is. */
  readonly hasTime?: () => boolean;
  /** Makes pages: work of the benchmark. Default: it counts. */
  readonly leaveOut?: <T>(work: () => T) => T;
}

/**
 * Reads pages into the ledger, as a crawl of sitemaps of 50,000 does after it has read their XML. Returns whether all are read; called again, it reads
 * the others.
 */
export async function crawlPages(
  ledger: Ledger,
  { watch, run, urls, toEntry, hasTime = () => true, leaveOut = (work) => work() }: Pages,
): Promise<boolean> {
  const sources = Array.from({ length: Math.ceil(urls / PER_SITEMAP) }, (_, n) => `https://shop.example/map-${n}.xml`);
  await beginRun(ledger, { watch, account: account.id, run, sources, scope: '', firstRun: 'submit' });
  const observation = await observe(ledger, run);
  const read = new Set(await listRead(ledger, run));
  for (const [n, sitemap] of sources.entries()) {
    if (read.has(sitemap)) continue;
    if (!hasTime()) return false;
    const last = Math.min((n + 1) * PER_SITEMAP, urls);
    const recognizer = await observation.recognizer(sitemap);
    for (let from = n * PER_SITEMAP; from < last; from += CHUNK) {
      const chunk = leaveOut(() =>
        toChunk(Array.from({ length: Math.min(CHUNK, last - from) }, (_, at) => toEntry(from + at, run))),
      );
      const { entries, order } = recognize(chunk, recognizer);
      await observation.entries(sitemap, entries, order);
      // The network comes between two chunks of a real crawl.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const known = { kind: 'urlset', urls: PER_SITEMAP, fingerprint: `${n} ${run}`, bytes: 1, tookMs: 1 } as const;
    await observation.verdict(sitemap, { verdict: 'complete', ...known });
  }
  return true;
}

/** The sitemaps that the run has read. */
async function listRead({ db }: Ledger, run: RunId): Promise<readonly string[]> {
  const rows = await db.all(sql<{ url: string }>`
    SELECT s.url FROM run_sitemaps AS r JOIN sitemaps AS s ON s.id = r.sitemap_id
    WHERE r.run_id = (SELECT id FROM runs WHERE name = ${run})`);
  return rows.map(({ url }) => url);
}
