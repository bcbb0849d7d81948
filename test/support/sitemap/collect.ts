import {
  type CrawlEvent,
  type CrawlOptions,
  crawl,
  type Problem,
  type SitemapEntry,
  type Verdict,
} from '../../../src/sitemap/crawl.ts';
import { SitemapError } from '../../../src/sitemap/problems.ts';
import { readDocument } from '../../../src/sitemap/read/document.ts';
import { RecordCollector } from '../../../src/sitemap/record-collector.ts';

/** What a whole crawl said. */
export interface Collected {
  readonly entries: SitemapEntry[];
  readonly locs: string[];
  readonly problems: Problem[];
  /** Codes of the problems as `error CODE` and `warning CODE`. */
  readonly codes: string[];
  readonly verdicts: Verdict[];
  readonly events: CrawlEvent[];
  readonly complete: boolean;
}

/** Runs a crawl to its end, on loopback and without pauses unless the options say otherwise. */
export async function collect(sources: readonly string[], options: CrawlOptions = {}): Promise<Collected> {
  const events: CrawlEvent[] = [];
  const defaults: CrawlOptions = { allowPrivateHosts: true, sleep: async () => {}, random: () => 0 };
  for await (const event of crawl(sources, { ...defaults, ...options })) events.push(event);
  return summed(events);
}

export function summed(events: CrawlEvent[]): Collected {
  const entries = events.flatMap((event) => (event.type === 'entries' ? event.entries : []));
  const problems = events.flatMap(({ type, ...event }) => (type === 'problem' ? [event as Problem] : []));
  const verdicts = events.flatMap(({ type, ...event }) => (type === 'verdict' ? [event as Verdict] : []));
  const last = events.at(-1);
  return {
    entries,
    locs: entries.map(({ loc }) => loc),
    problems,
    codes: problems.map(({ severity, code }) => `${severity} ${code}`).sort(),
    verdicts,
    events,
    complete: last?.type === 'summary' && last.complete,
  };
}

export interface ReadResult {
  readonly locs: string[];
  readonly entries: readonly SitemapEntry[];
  /** The pages, where they are collected as lines. */
  readonly lines: string;
  readonly children: readonly string[];
  readonly problems: readonly Problem[];
  readonly codes: string[];
}

/** How a document under test comes to the reader. */
export interface ReadSetup {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  /** Bytes in one chunk; everything at once by default. */
  readonly chunk?: number;
  readonly base?: string | undefined;
  readonly hreflang?: boolean;
  /** Collects the pages as lines of bytes. */
  readonly lines?: boolean;
  readonly maxBytes?: number;
  readonly path?: string;
}

/** Reads one document without any network. */
export async function readBytes(document: string | Buffer, setup: ReadSetup = {}): Promise<ReadResult> {
  const base = 'base' in setup ? setup.base : 'https://shop.example/sitemap.xml';
  const collector = new RecordCollector({
    sitemap: 'test',
    base,
    budget: { urls: 0, isSpent: false, maxUrls: Number.POSITIVE_INFINITY, maxSitemaps: 50_000 },
    now: Date.parse('2026-11-21T00:00:00Z'),
    skip: 0,
    lines: setup.lines ?? false,
  });
  const bytes = typeof document === 'string' ? Buffer.from(document) : document;
  try {
    await readDocument(
      { bytes: inChunks(bytes, setup.chunk ?? bytes.length), path: setup.path ?? '/sitemap.xml', ...setup },
      collector,
      {
        maxBytes: setup.maxBytes ?? 104_857_600,
        alternates: setup.hreflang ?? false,
        drain: async () => {},
        onKind: (kind) => {
          collector.kind = kind;
        },
      },
    );
    collector.finish();
  } catch (error) {
    if (!(error instanceof SitemapError)) throw error;
    collector.problem(error.code, 'error', error.message);
  }
  const batch = collector.takeBatch();
  const entries = batch.type === 'entries' ? batch.entries : [];
  const lines = batch.type === 'lines' ? batch.bytes.toString('latin1') : '';
  const problems = collector.problems;
  return {
    entries,
    lines,
    locs: entries.map(({ loc }) => loc),
    children: collector.children,
    problems,
    codes: problems.map(({ severity, code }) => `${severity} ${code}`).sort(),
  };
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  // Each chunk is a copy of its own: a reader that keeps one would see it change if it were reused.
  for (let at = 0; at < bytes.length; at += Math.max(1, size))
    yield Buffer.from(bytes.subarray(at, at + Math.max(1, size)));
}

export const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
export const urlset = (...locs: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>${locs.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`;
export const sitemapindex = (...locs: string[]) =>
  `<sitemapindex ${NS}>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`;
