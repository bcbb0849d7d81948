import { Context } from '@temporalio/activity';
import type { Watch } from '../src/config/config.ts';
import { readSecret } from '../src/config/secrets.ts';
import { type Observation, observe } from '../src/ledger/observe.ts';
import { finishedSitemaps, knownSitemap } from '../src/ledger/sitemaps.ts';
import { type CrawlEvent, type CrawlOptions, crawl, type SitemapEntry } from '../src/sitemap/crawl.ts';
import { makeScope } from '../src/url/scope.ts';
import type { Url } from '../src/url/url.ts';
import type { Deps } from './deps.ts';
import type { CrawlReport, WatchRun } from './types.ts';

const HEARTBEAT_MS = 3_000;
const PROBLEMS_TOLD = 5;

/** Reads a watch's sitemaps into the ledger. */
export function crawlActivities({ watchOf, ledger, stopping }: Deps) {
  return {
    async crawlWatch({ watch: id, run }: WatchRun): Promise<CrawlReport> {
      const watch = watchOf(id);
      const context = Context.current();
      const observation = await observe(ledger, run);
      const finished = await finishedSitemaps(ledger, run);
      const report = { urls: 0, sitemaps: 0, complete: true, problems: [] as string[] };
      const events = crawl(watch.sources, {
        ...crawlOptions(watch),
        signal: AbortSignal.any([context.cancellationSignal, stopping]),
        known: (sitemap) => knownSitemap(ledger, run, sitemap),
        done: async (sitemap) => finished.get(sitemap),
      });
      // A slow server may keep a sitemap open for minutes without an event; the worker is alive all the same.
      const ticker = setInterval(
        () => context.heartbeat({ urls: report.urls, sitemaps: report.sitemaps }),
        HEARTBEAT_MS,
      );
      try {
        const inScope = makeScope({ hosts: watch.hosts ?? [], include: watch.include, exclude: watch.exclude });
        for await (const event of events) await take(event, observation, inScope, report);
      } finally {
        clearInterval(ticker);
      }
      for (const { urls } of finished.values()) report.urls += urls;
      report.sitemaps += finished.size;
      return report;
    },
  };
}

/** The options of a watch that its crawl needs. */
function crawlOptions(watch: Watch): CrawlOptions {
  const headers = Object.entries(watch.headers).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : readSecret(value)] as const;
  });
  return {
    hreflang: watch.hreflang,
    allowPrivateHosts: watch.allowPrivateHosts,
    hosts: watch.hosts ?? [],
    anyHost: watch.hosts === null,
    headers: Object.fromEntries(headers),
  };
}

interface Totals {
  urls: number;
  sitemaps: number;
  complete: boolean;
  problems: string[];
}

async function take(
  event: CrawlEvent,
  observation: Observation,
  inScope: ReturnType<typeof makeScope>,
  totals: Totals,
): Promise<void> {
  switch (event.type) {
    case 'entries':
      return observation.entries(event.sitemap, ours(event.sitemap, event.entries, observation, inScope));
    case 'problem':
      if (event.code === 'BAD_URL') observation.skipped(event.sitemap, 'bad-url', event.message, event.count ?? 1);
      if (event.severity === 'error' && totals.problems.length < PROBLEMS_TOLD) {
        totals.problems.push(`${event.sitemap}: ${event.message}`);
      }
      return;
    case 'verdict':
      if (event.verdict === 'duplicate') return;
      totals.sitemaps += 1;
      totals.urls += event.urls;
      return observation.verdict(event.sitemap, event);
    case 'summary':
      totals.complete = event.complete;
      return;
    case 'sitemap':
      return;
  }
}

function ours(
  sitemap: string,
  entries: readonly SitemapEntry[],
  observation: Observation,
  inScope: ReturnType<typeof makeScope>,
) {
  return entries.filter((entry): entry is SitemapEntry & { url: Url } => {
    const reason = entry.url === null ? 'relative' : inScope(entry.url);
    if (reason !== null) observation.skipped(sitemap, reason, entry.url ?? entry.loc);
    return reason === null;
  });
}
