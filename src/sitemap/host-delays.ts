import type { CrawlEvent } from './events.ts';
import type { HostGate } from './fetch/host-gate.ts';
import type { HttpAnswer } from './fetch/http.ts';
import type { Settings } from './options.ts';
import { SitemapError } from './problems.ts';
import { parseCrawlDelay } from './read/crawl-delay.ts';
import { decompressed } from './read/gunzip.ts';

/** The longest Crawl-delay that a crawl follows. A longer one would take days for an index of 50,000 sitemaps. */
export const MAX_CRAWL_DELAY_MS = 30_000;
/** Search engines read as much of a robots.txt. */
const MAX_BYTES = 512 * 1024;

export interface HostDelaysContext {
  readonly settings: Pick<Settings, 'respectCrawlDelay' | 'hostDelayMs' | 'userAgent'>;
  readonly http: (url: URL, known: undefined, signal: AbortSignal) => Promise<HttpAnswer>;
  readonly gate: HostGate;
  readonly signal: AbortSignal;
  readonly emit: (event: CrawlEvent) => Promise<void>;
}

/**
 * Slows down the requests to each host as the Crawl-delay of its robots.txt asks. Resolves when the host's robots.txt was
 * read, which happens once. One that cannot be read asks for nothing.
 */
export function openHostDelays(context: HostDelaysContext): (url: URL) => Promise<void> {
  const known = new Map<string, Promise<void>>();
  return async ({ origin, host }) => {
    if (!context.settings.respectCrawlDelay) return;
    const before = known.get(host);
    if (before !== undefined) return await before;
    const reading = applyDelay(new URL('/robots.txt', origin), context);
    known.set(host, reading);
    await reading;
  };
}

async function applyDelay(url: URL, context: HostDelaysContext): Promise<void> {
  const { gate, settings } = context;
  const askedMs = parseCrawlDelay(await readRobots(url, context), settings.userAgent);
  if (askedMs === null || askedMs <= settings.hostDelayMs) return;
  const delayMs = Math.min(askedMs, MAX_CRAWL_DELAY_MS);
  gate.slowDown(url.host, delayMs);
  await context.emit({ type: 'delay', host: url.host, delayMs, askedMs });
}

async function readRobots(url: URL, { http, gate, signal }: HostDelaysContext): Promise<string> {
  const leave = await gate.enter(url.host, signal);
  const blocks: Buffer[] = [];
  try {
    const answer = await http(url, undefined, signal);
    if (answer.kind !== 'body') return '';
    const bytes = decompressed(answer.bytes, answer.contentEncoding, { maxBytes: MAX_BYTES }, () => undefined);
    for await (const block of bytes) blocks.push(Buffer.from(block));
    return Buffer.concat(blocks).toString('utf8');
  } catch (error) {
    if (!(error instanceof SitemapError)) throw error;
    if (error.code === 'TOO_LARGE') return Buffer.concat(blocks).toString('utf8');
    if (error.limitsHost && error.retryAfterMs !== undefined) gate.close(url.host, error.retryAfterMs);
    return '';
  } finally {
    leave();
  }
}
