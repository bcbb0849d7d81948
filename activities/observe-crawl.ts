import type { Watch } from '../src/config/config.ts';
import { readSecret } from '../src/config/secrets.ts';
import { type Observation, observe } from '../src/ledger/crawl/observe.ts';
import {
  getStoredSitemap,
  listFinishedSitemaps,
  type SitemapVerdict,
  sumSavedTransfers,
} from '../src/ledger/crawl/sitemaps.ts';
import { recordUnmatchedRules } from '../src/ledger/crawl/unmatched-rules.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import { getRun } from '../src/ledger/runs/runs.ts';
import {
  type CrawlEvent,
  type CrawlOptions,
  crawl,
  type PageRecognizer,
  type SitemapEntry,
} from '../src/sitemap/crawl.ts';
import type { RunId } from '../src/submission/ids.ts';
import type { CrawlReport, HostDelay } from '../src/temporal-api/payloads.ts';
import { maskQuery } from '../src/url/mask-query.ts';
import type { Url } from '../src/url/normalize-url.ts';
import { createRuleMatches, listScopeRules, makeScope, type RuleMatches, type ScopeOptions } from '../src/url/scope.ts';

const MAX_PROBLEMS = 5;

export interface CrawlUnderWay {
  readonly report: Promise<CrawlReport>;
  soFar(): { readonly urls: number; readonly sitemaps: number };
}

/**
 * Crawls a watch into a run of the ledger, for the activity of a run and for `courier plan`. Skips sitemaps that an
 * earlier attempt of the run read to their end.
 */
export function observeCrawl(
  ledger: Ledger,
  watch: Watch,
  run: RunId,
  signal: AbortSignal,
  limits: Pick<CrawlOptions, 'concurrency' | 'sleep' | 'timeouts'> = {},
): CrawlUnderWay {
  const totals: Totals = { urls: 0, sitemaps: 0, complete: true, problems: [], doubts: [], delays: [] };
  return {
    report: observed(ledger, watch, run, { ...limits, signal }, totals),
    soFar: () => ({ urls: totals.urls, sitemaps: totals.sitemaps }),
  };
}

async function observed(
  ledger: Ledger,
  watch: Watch,
  run: RunId,
  options: CrawlOptions,
  totals: Totals,
): Promise<CrawlReport> {
  const observation = await observe(ledger, run);
  const finished = await listFinishedSitemaps(ledger, run);
  const scope = makeRecordedScope(watch);
  const events = crawl(watch.sources, {
    ...crawlOptions(watch),
    ...options,
    known: (sitemap) => getStoredSitemap(ledger, run, sitemap),
    done: async (sitemap) => finished.get(sitemap),
    recognizer: async (sitemap) => withMatches(await observation.recognizer(sitemap), scope.getMatches(sitemap)),
  });
  for await (const event of events) await take(event, observation, scope, totals);
  for (const { urls } of finished.values()) totals.urls += urls;
  totals.sitemaps += finished.size;
  const { id } = await getRun(ledger.db, run);
  const saved = await sumSavedTransfers(ledger.db, id);
  const unmatchedRules = totals.complete ? await recordUnmatchedRules(ledger, run, listScopeRules(toRules(watch))) : [];
  const { doubts, delays, ...sums } = totals;
  return {
    ...sums,
    unmatchedRules,
    saved,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(delays.length === 0 ? {} : { delays }),
  };
}

/** The options of a watch that its crawl needs. */
function crawlOptions(watch: Watch): CrawlOptions {
  const headers = Object.entries(watch.headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : readSecret(value)] as const;
  });
  return {
    hreflang: watch.hreflang,
    respectCrawlDelay: watch.crawl.respectCrawlDelay,
    allowPrivateHosts: watch.allowPrivateHosts,
    hosts: watch.hosts ?? [],
    anyHost: watch.hosts === null,
    headers: Object.fromEntries(headers),
  };
}

/** The rules as the configuration names them: hosts that come from the sitemaps are not among them. */
const toRules = ({ namedHosts: hosts, include, exclude }: Watch): ScopeOptions => ({ hosts, include, exclude });

/** A watch's scope, and which of its rules matched something in each sitemap. */
interface RecordedScope {
  readonly decide: ReturnType<typeof makeScope>;
  getMatches(sitemap: string): RuleMatches;
  /** Returns and forgets the matches of a sitemap that was read to its end. */
  takeMatches(sitemap: string): ReturnType<RuleMatches['list']>;
}

function makeRecordedScope(watch: Watch): RecordedScope {
  const matches = new Map<string, RuleMatches>();
  const getMatches = (sitemap: string): RuleMatches => {
    const known = matches.get(sitemap) ?? createRuleMatches(toRules(watch));
    matches.set(sitemap, known);
    return known;
  };
  return {
    decide: makeScope({ hosts: watch.hosts ?? [], include: watch.include, exclude: watch.exclude }),
    getMatches,
    takeMatches(sitemap) {
      const list = getMatches(sitemap).list();
      matches.delete(sitemap);
      return list;
    },
  };
}

interface Totals {
  urls: number;
  sitemaps: number;
  complete: boolean;
  problems: string[];
  readonly doubts: string[];
  readonly delays: HostDelay[];
}

async function take(event: CrawlEvent, observation: Observation, scope: RecordedScope, totals: Totals): Promise<void> {
  switch (event.type) {
    case 'entries':
      return takeEntries(event, observation, scope);
    case 'problem':
      if (event.code === 'BAD_URL') observation.skipped(event.sitemap, 'bad-url', event.message, event.count ?? 1);
      if (event.severity === 'error' && totals.problems.length < MAX_PROBLEMS) {
        totals.problems.push(maskQuery(`${event.sitemap}: ${event.message}`));
      } else if (event.code === 'END_UNKNOWN' && totals.doubts.length < MAX_PROBLEMS) {
        totals.doubts.push(maskQuery(`${event.sitemap}: ${event.message}`));
      }
      return;
    case 'verdict':
      if (event.verdict === 'duplicate') return;
      totals.sitemaps += 1;
      totals.urls += event.urls;
      return takeVerdict(event, observation, scope, totals);
    case 'summary':
      totals.complete = event.complete;
      return;
    case 'delay':
      if (totals.delays.length < MAX_PROBLEMS)
        totals.delays.push({ host: event.host, delayMs: event.delayMs, askedMs: event.askedMs });
      return;
    case 'sitemap':
    // A run asks for entries.
    case 'lines':
      return;
  }
}

async function takeVerdict(
  event: Extract<CrawlEvent, { type: 'verdict' }> & SitemapVerdict,
  observation: Observation,
  scope: RecordedScope,
  { doubts }: Totals,
): Promise<void> {
  const { isStamped } = await observation.verdict(event.sitemap, event, scope.takeMatches(event.sitemap));
  if (isStamped && doubts.length < MAX_PROBLEMS)
    doubts.push(
      maskQuery(`${event.sitemap}: every lastmod is the time of the fetch; all count as unknown for this run`),
    );
}

/** Entries in scope are recorded; the others are counted. What a recognizer knows is in scope. */
async function takeEntries(
  { sitemap, entries, order }: Extract<CrawlEvent, { type: 'entries' }>,
  observation: Observation,
  { decide, getMatches }: RecordedScope,
): Promise<void> {
  const matches = getMatches(sitemap);
  const isOurs = entries.map((entry): boolean => {
    const reason = entry.url === null ? 'relative' : decide(entry.url);
    if (entry.url !== null) matches.add(entry.url, reason === 'relative' ? null : reason);
    if (reason !== null) observation.skipped(sitemap, reason, entry.url ?? entry.loc);
    return reason === null;
  });
  const ours = entries.filter((_, at): _ is SitemapEntry & { url: Url } => isOurs[at] === true);
  if (order === undefined || ours.length === entries.length) return observation.entries(sitemap, ours, order);
  let at = 0;
  const kept = order.filter((known) => known !== -1 || isOurs[at++] === true);
  return observation.entries(sitemap, ours, kept);
}

/** A recognizer that also finds out which rules of the scope match the pages that it recognizes. */
function withMatches(recognizer: PageRecognizer | undefined, matches: RuleMatches): PageRecognizer | undefined {
  if (recognizer === undefined) return undefined;
  return {
    find(url, version) {
      const known = recognizer.find(url, version);
      if (known >= 0 && !matches.isDone) {
        matches.add(Buffer.from(url.bytes.subarray(url.from, url.to)).toString('latin1') as Url, null);
      }
      return known;
    },
    findNext(bytes, fields, version) {
      const known = recognizer.findNext(bytes, fields, version);
      if (known >= 0 && !matches.isDone) {
        matches.add(Buffer.from(bytes.subarray(fields.locFrom, fields.locTo)).toString('latin1') as Url, null);
      }
      return known;
    },
  };
}
