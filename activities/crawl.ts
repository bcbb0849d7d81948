import { Context } from '@temporalio/activity';
import type { CrawlReport, WatchRun } from '../src/temporal-api/payloads.ts';
import type { Deps } from './deps.ts';
import { countLost, type Heartbeat } from './lost-attempts.ts';
import { observeCrawl } from './observe-crawl.ts';

const HEARTBEAT_MS = 3_000;

/** Reads a watch's sitemaps into the ledger. */
export function crawlActivities({ getWatch, ledger, stopping, emit, now }: Deps) {
  return {
    async crawlWatch({ watch, account, run }: WatchRun): Promise<CrawlReport> {
      const context = Context.current();
      const startedAt = now();
      const crawl = observeCrawl(ledger, getWatch(watch), run, AbortSignal.any([context.cancellationSignal, stopping]));
      // A slow server may keep a sitemap open for minutes without an event; the worker is still alive.
      const ticker = setInterval(
        () => context.heartbeat({ ...crawl.soFar(), lost: countLost(context.info) + 1 } satisfies Heartbeat),
        HEARTBEAT_MS,
      );
      try {
        const report = await crawl.report;
        const { urls, sitemaps, complete, problems } = report;
        const tookMs = now() - startedAt;
        emit({ kind: 'crawl', watch, account, run, urls, sitemaps, complete, problems, tookMs });
        return report;
      } finally {
        clearInterval(ticker);
      }
    },
  };
}
