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
