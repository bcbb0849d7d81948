import { count, flag, texts } from '../../../cli-kit/record-schema.ts';
import type { RunCounts } from '../../../temporal-api/payloads.ts';

/** What a crawl found, compared with the ledger: fields of several records. */
export const COUNT_FIELDS = {
  found: count('URLs in scope; a URL in two sitemaps counts once'),
  new: count('URLs that were not submitted before'),
  changed: count('URLs whose lastmod changed since they were submitted'),
  known: count('URLs that need nothing'),
  gone: count('URLs that are in no sitemap any more; 0 when the crawl is incomplete'),
  skipped: count('URLs out of scope'),
  complete: flag('whether every sitemap was read to its end'),
};

export const UNMATCHED_RULES = texts(
  'hosts and globs of the watch that matched no URL of a complete crawl, as `exclude /drafts/**`',
);

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
