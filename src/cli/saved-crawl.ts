import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { type CommandError, UsageError } from '../cli-kit/exit-codes.ts';
import { type CrawlEvent, type CrawlOptions, crawl, parseSource, type SitemapEntry } from '../sitemap/crawl.ts';
import { parseRfc822Date, parseW3cDate } from '../sitemap/lastmod.ts';
import { normalizeUrl, type Url } from '../url/normalize-url.ts';
import { isAhead } from '../url/version.ts';

/** The first record of every command (src/cli-kit/output.ts). */
const BEGINNING = '{"type":"version"';
/** Pages in one event. */
const BATCH = 500;

type Summary = Extract<CrawlEvent, { type: 'summary' }>;

/**
 * Reads sources as `crawl` does, and files of what `courier crawl --json` has printed as the crawls that they were: their
 * pages, and whether they were complete. Throws what `crawl` throws, and a CommandError for a saved crawl that is damaged.
 */
export async function* readSources(sources: readonly string[], options: CrawlOptions): AsyncGenerator<CrawlEvent> {
  const others: string[] = [];
  const sum = { urls: 0, sitemaps: 0, notModified: 0, complete: true };
  const add = ({ urls, sitemaps, notModified, complete }: Omit<Summary, 'type'>): void => {
    sum.urls += urls;
    sum.sitemaps += sitemaps;
    sum.notModified += notModified;
    sum.complete &&= complete;
  };
  for (const source of sources) {
    const path = await findSavedCrawl(source);
    if (path === undefined) others.push(source);
    else add(yield* readSavedCrawl(source, path, options));
  }
  if (others.length > 0) {
    for await (const event of crawl(others, options)) {
      if (event.type === 'summary') add(event);
      else yield event;
    }
  }
  yield { type: 'summary', ...sum };
}

/** The path of a saved crawl; undefined for any other source, also one that can be read only once or not at all. */
async function findSavedCrawl(text: string): Promise<string | undefined> {
  const source = parseSource(text);
  if (source.kind === 'http' || source.path === '-') return undefined;
  const isFile = await stat(source.path).then(
    (stats) => stats.isFile(),
    () => false,
  );
  const file = isFile ? await open(source.path).catch(() => undefined) : undefined;
  try {
    const begin = await file?.read({ buffer: Buffer.alloc(BEGINNING.length), position: 0 });
    return begin?.buffer.toString('latin1', 0, begin.bytesRead) === BEGINNING ? source.path : undefined;
  } finally {
    await file?.close();
  }
}

/** A file that was cut off has no summary and is not complete. */
async function* readSavedCrawl(
  name: string,
  path: string,
  { asOf = Date.now(), signal }: CrawlOptions,
): AsyncGenerator<CrawlEvent, Omit<Summary, 'type'>> {
  const summary = { urls: 0, sitemaps: 0, notModified: 0, complete: false };
  let entries: SitemapEntry[] = [];
  let line = 0;
  let ahead = 0;
  const input = createReadStream(path);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (text === '') continue;
      const record = parseRecord(text);
      const entry = record?.type === 'url' ? toEntry(record) : undefined;
      if (record === null || entry === null) throw toDamage(name, line);
      if (record.type === 'summary') {
        summary.complete = record.complete === true;
        summary.sitemaps = typeof record.sitemaps === 'number' ? record.sitemaps : 0;
      }
      if (entry === undefined) continue;
      entries.push(entry);
      if (entry.url !== null) summary.urls += 1;
      if (entry.version !== null && isAhead(entry.version, asOf)) ahead += 1;
      if (entries.length < BATCH) continue;
      signal?.throwIfAborted();
      yield { type: 'entries', sitemap: name, entries };
      entries = [];
    }
  } finally {
    input.destroy();
  }
  if (entries.length > 0) yield { type: 'entries', sitemap: name, entries };
  if (ahead > 0) {
    const message = 'a lastmod is in the future';
    yield { type: 'problem', sitemap: name, code: 'LASTMOD_FUTURE', severity: 'warning', message, count: ahead };
  }
  return summary;
}

function toDamage(name: string, line: number): CommandError {
  const what = `${name}:${line} is not a record of courier crawl --json`;
  return new UsageError(`${what}, so what follows it was not read. Save that crawl again.`);
}

/** Null for what is no record. */
function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value ? { ...value } : null;
  } catch {
    return null;
  }
}

/** Null for what is no page (src/cli/output/records/crawl.ts). */
function toEntry({ loc, url = loc, lastmod, relative }: Readonly<Record<string, unknown>>): SitemapEntry | null {
  if (typeof loc !== 'string' || (typeof lastmod !== 'string' && lastmod !== null)) return null;
  const page = url === null ? null : toPage(url);
  if (page === undefined) return null;
  const version = lastmod === null ? null : (parseW3cDate(lastmod) ?? parseRfc822Date(lastmod));
  return { loc, url: page, ...(relative === true ? { relative } : {}), lastmod, version };
}

/** Undefined for what is no URL. */
function toPage(url: unknown): Url | undefined {
  const normal = typeof url === 'string' ? normalizeUrl(url) : undefined;
  return normal?.ok === true && normal.relative !== true ? normal.url : undefined;
}
