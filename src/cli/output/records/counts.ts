import { count, flag, texts } from '../../../cli-kit/record-schema.ts';
import type { RunCounts } from '../../../temporal-api/payloads.ts';

/** What a crawl found, compared with the ledger: fields of several records. */
export const COUNT_FIELDS = {
  found: count('URLs in scope; a URL in two sitemaps counts once'),
  new: count('never submitted before'),
  changed: count('lastmod changed since submitted'),
  known: count('needing nothing'),
  gone: count('in no sitemap any more; 0 when incomplete'),
  skipped: count('URLs out of scope'),
  complete: flag('every sitemap was read'),
};

/** What became of the URLs that a run has bought: fields of several records. */
export const RESULT_FIELDS = {
  batches: count('batches of the run'),
  submitted: count('URLs accepted'),
  completed: count('URLs completed'),
  failed: count('URLs failed'),
  open: count('without a result yet'),
  quarantined: count('in quarantine'),
  without_result: count('job ended without a result for them; they count as bought'),
  needs_review: count('in batches that need review'),
};

export const UNMATCHED_RULES = texts('hosts and globs that matched no URL of a complete crawl');

export const toCountFields = ({
  found,
  new: fresh,
  changed,
  known,
  gone,
  skipped,
  complete,
}: Omit<RunCounts, 'firstRun'>) => ({
  found,
  new: fresh,
  changed,
  known,
  gone,
  skipped,
  complete,
});
