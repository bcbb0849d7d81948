import { count, flag, texts } from '../../../cli-kit/record-schema.ts';
import { fieldsOf } from '../../../cli-kit/record-table.ts';
import type { RunSummary } from '../../../ledger/reports/run-summary.ts';
import type { RunCounts } from '../../../temporal-api/payloads.ts';

/** What a crawl found, compared with the ledger: fields of several records. */
export const COUNTS = fieldsOf<Omit<RunCounts, 'firstRun'>>()({
  found: count('URLs in scope; a URL in two sitemaps counts once'),
  new: count('never submitted before'),
  changed: count('lastmod changed since submitted'),
  known: count('needing nothing'),
  gone: count('in no sitemap any more; 0 when incomplete'),
  skipped: count('URLs out of scope'),
  complete: flag('every sitemap was read'),
});

/** What became of the URLs that a run has bought: fields of several records. */
export const RESULTS = fieldsOf<RunResults>()({
  batches: count('batches of the run'),
  submitted: count('URLs accepted'),
  completed: count('URLs completed'),
  failed: count('URLs failed'),
  open: count('without a result yet'),
  quarantined: count('in quarantine'),
  without_result: count('job ended without a result for them; they count as bought'),
  needs_review: count('in batches that need review'),
});

type RunResults = Pick<
  RunSummary,
  'batches' | 'submitted' | 'completed' | 'failed' | 'open' | 'quarantined' | 'withoutResult' | 'needsReview'
>;

export const UNMATCHED_RULES = texts('hosts and globs that matched no URL of a complete crawl');
