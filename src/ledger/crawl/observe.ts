import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { ScopeRule } from '../../url/scope.ts';
import { addLive } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { unpackList } from '../pages/fingerprint-list.ts';
import { getOpenRun, type RunRow } from '../runs/runs.ts';
import type { EntrySource, ObservedEntry } from './found.ts';
import { insertFound } from './insert-found.ts';
import { markChanged } from './mark-changed.ts';
import { readSitemap, type SitemapReading } from './read-sitemap.ts';
import { keepShown, recordVerdict, type SitemapRecord } from './record-verdict.ts';
import type { SitemapVerdict } from './sitemaps.ts';

/** Records a crawl in the ledger. One per crawl; sitemaps may be read concurrently, in any order. */
export interface Observation {
  /** Records entries in scope, some thousands at a time. `order` is that of the crawl's event. */
  entries(sitemap: string, entries: readonly ObservedEntry[], order?: readonly number[]): Promise<void>;
  /**
   * Recognizes the entries that the last complete visit of a sitemap listed. Undefined where nothing is known of it, or
   * where it was read with another scope: then each URL must be decided again.
   */
  recognizer(sitemap: string): Promise<Pick<SitemapReading, 'find' | 'findNext'> | undefined>;
  /** Counts a URL out of scope by reason, with a few examples. */
  skipped(sitemap: string, reason: string, url: string, count?: number): void;
  /**
   * Records the end of a sitemap. Only `complete` replaces its stored list and the rules that matched in it. `isStamped`: all its
   * dates are the time of the fetch (fetch-times.ts), and counted as none.
   */
  verdict(
    sitemap: string,
    verdict: SitemapVerdict,
    matchedRules?: readonly ScopeRule[],
  ): Promise<{ readonly isStamped: boolean }>;
}

/**
 * Maximum number of rows buffered in memory, so that an endless sitemap cannot exhaust it. A transaction writes each page of
 * the index of fingerprints once: with a fifth of the rows, a first run writes five times as many pages.
 */
const FLUSH_AT = 50_000;
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Rows that are written in one turn of the event loop. */
const TURN = 1_000;
const EXAMPLES = 5;
const FINGERPRINT_COLLISION = 'fingerprint-collision';

interface Skips {
  urls: number;
  readonly sample: string[];
}

interface Flushed {
  new: number;
  changed: number;
  readonly collided: Url[];
}

interface OpenSitemap {
  readonly place: EntrySource;
  /** The stored list was made with the scope of this run. */
  readonly hasList: boolean;
  readonly reading: SitemapReading;
  readonly skips: Map<string, Skips>;
  new: number;
  changed: number;
}

export async function observe(ledger: Ledger, run: RunId): Promise<Observation> {
  const { db, seed } = ledger;
  const row = await getOpenRun(db, run);
  const open = new Map<string, Promise<OpenSitemap>>();
  const skips = new Map<string, OpenSitemap['skips']>();

  function reading(sitemap: string): Promise<OpenSitemap> {
    let promise = open.get(sitemap);
    if (promise === undefined) {
      promise = begin(sitemap);
      open.set(sitemap, promise);
    }
    return promise;
  }

  async function begin(sitemap: string): Promise<OpenSitemap> {
    const known = await sitemapRow(db, row, sitemap);
    const kept = await db.get(sql<{ entries: Uint8Array }>`
      SELECT entries FROM sitemap_snapshots WHERE sitemap_id = ${known.id}`);
    return {
      place: { runId: row.id, watchId: row.watch_id, sitemapId: known.id, adopt: known.adopt },
      hasList: kept !== undefined && known.scope === row.scope,
      reading: readSitemap(unpackList(kept?.entries ?? new Uint8Array()), seed, ledger.now()),
      skips: getSkips(sitemap),
      new: 0,
      changed: 0,
    };
  }

  function getSkips(sitemap: string): OpenSitemap['skips'] {
    let counts = skips.get(sitemap);
    if (counts === undefined) {
      counts = new Map();
      skips.set(sitemap, counts);
    }
    return counts;
  }

  /** Runs `work` in a transaction after everything that waits in memory; what waited is forgotten once it is durable. */
  async function flushed(at: OpenSitemap, work: (tx: Queryable, counts: Flushed) => Promise<void>): Promise<void> {
    const found = at.reading.takeFound();
    const moved = at.reading.takeMoved();
    // Postgres may retry a transaction: its sums start at zero each time.
    const write = async (tx: Queryable) => {
      await getOpenRun(tx, run);
      const sums: Flushed = { new: at.new, changed: at.changed, collided: [] };
      let live = 0;
      for (let from = 0; from < found.length; from += TURN) {
        const part = await insertFound(tx, at.place, found, { from, to: from + TURN });
        sums.new += part.new;
        sums.changed += part.changed;
        live += part.live;
        sums.collided.push(...part.collided);
        await yieldToEventLoop();
      }
      for (let from = 0; from < moved.length; from += TURN) {
        sums.changed += await markChanged(tx, at.place, moved, { from, to: from + TURN });
        await yieldToEventLoop();
      }
      await work(tx, sums);
      await addLive(tx, at.place.watchId, live);
      return sums;
    };
    const counts = await db.tx(write, { bulk: found.length + moved.length > TURN });
    at.new = counts.new;
    at.changed = counts.changed;
    for (const url of counts.collided) skip(at.skips, FINGERPRINT_COLLISION, url, 1);
  }

  return {
    async entries(sitemap, entries, order) {
      const at = await reading(sitemap);
      at.reading.add(entries, order);
      if (at.reading.pending >= FLUSH_AT || at.reading.pendingBytes >= FLUSH_BYTES) {
        await flushed(at, (tx) => keepShown(tx, at.place.sitemapId, at.reading));
      }
    },
    async recognizer(sitemap) {
      const at = await reading(sitemap);
      return at.hasList ? at.reading : undefined;
    },
    skipped: (sitemap, reason, url, count = 1) => skip(getSkips(sitemap), reason, url, count),
    async verdict(sitemap, verdict, matchedRules = []) {
      const at = await reading(sitemap);
      await flushed(at, (tx, counts) =>
        recordVerdict(tx, ledger.now(), row, { ...toSitemapRecord(at, counts), matchedRules }, verdict),
      );
      open.delete(sitemap);
      skips.delete(sitemap);
      return { isStamped: at.reading.isStamped };
    },
  };
}

/** The visit as it is to be recorded, with what its last entries brought. */
function toSitemapRecord(
  { place, reading, skips }: OpenSitemap,
  { new: found, changed, collided }: Flushed,
): Omit<SitemapRecord, 'matchedRules'> {
  const all = new Map([...skips].map(([reason, { urls, sample }]) => [reason, { urls, sample: [...sample] }]));
  for (const url of collided) skip(all, FINGERPRINT_COLLISION, url, 1);
  return { place, reading, skips: all, new: found, changed };
}

function skip(skips: OpenSitemap['skips'], reason: string, url: string | Url, count: number): void {
  const known = skips.get(reason);
  if (known === undefined) {
    skips.set(reason, { urls: count, sample: [url.slice(0, 500)] });
    return;
  }
  known.urls += count;
  if (known.sample.length < EXAMPLES) known.sample.push(url.slice(0, 500));
}

async function sitemapRow(
  db: Queryable,
  run: RunRow,
  sitemap: string,
): Promise<{ id: number; adopt: boolean; scope: string | null }> {
  await db.run(sql`
    INSERT INTO sitemaps (watch_id, url, baseline) VALUES (${run.watch_id}, ${sitemap}, ${run.baseline})
    ON CONFLICT (watch_id, url) DO NOTHING`);
  const { id, baseline, scope } = await db.one(sql<{ id: number; baseline: number; scope: string | null }>`
    SELECT id, baseline, scope FROM sitemaps WHERE watch_id = ${run.watch_id} AND url = ${sitemap}`);
  return { id, adopt: run.baseline === 1 || baseline === 1, scope };
}
