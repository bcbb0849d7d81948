import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  group,
  list,
  nullable,
  oneOf,
  optional,
  text,
} from '../../../cli-kit/record-schema.ts';
import { Type } from '../../../json-schema/type.ts';
import { DELAYS, SAVED } from '../politeness.ts';

/** Written by hand in crawl-lines.ts: a serializer takes as long for a million objects as the crawl. */
const UrlRecord = defineRecord('url', 'A page that a sitemap names.', {
  loc: text('as in the sitemap'),
  url: optional(nullable(text('normalized; absent when equal to `loc`; null when `loc` names no page'))),
  lastmod: nullable(text('as written')),
  relative: optional(Type.Literal(true, { description: '`loc` is relative, against the protocol' })),
  sitemap: text('the sitemap that names it'),
});

export const CrawlStatsRecord = defineRecord('crawl_stats', 'What a crawl found, in numbers; only with `--stats`.', {
  urls: count('pages in the sitemaps, repeats included'),
  unique_urls: count('different pages'),
  duplicates: count('repeats'),
  relative_urls: count('records whose relative URL names no page'),
  lastmods: count('pages with a lastmod'),
  invalid_lastmods: count('of them not a W3C date'),
  lastmod_ages: group(
    {
      day: count('under a day old'),
      week: count('under 7 days'),
      month: count('under 30 days'),
      year: count('under 365 days'),
      older: count('older'),
      future: count('in the future'),
    },
    'pages by age of lastmod, each once',
  ),
  hosts: list(
    Type.Object({ host: text('host, with its port if it has one'), urls: count('its pages') }),
    'the 20 with the most pages',
  ),
  host_count: count('different hosts, up to 1,000'),
  urls_of_other_hosts: count('pages of hosts beyond those'),
  sitemaps_by_depth: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'sitemaps opened at each depth, the sources first',
  }),
  slowest: list(
    Type.Object({ sitemap: text('which'), ms: count('from request to verdict') }),
    'the 10 slowest sitemaps',
  ),
});

export const PageChangeRecord = defineRecord(
  'page_change',
  'A page that differs from the old crawl; only with `--compare`.',
  {
    change: oneOf(['new', 'changed', 'gone'], 'changed: its lastmod is certainly later'),
    url: text('the page, normalized'),
    lastmod: nullable(text('in this crawl, in UTC; null without one that counts')),
    old_lastmod: nullable(text('in the old crawl')),
  },
);

const COMPARISON = group(
  {
    old_urls: count('different pages of the old crawl'),
    old_complete: flag('the old crawl was complete; else no page is new'),
    unique_urls: count('different pages of this crawl'),
    new: count('pages that only this crawl has'),
    changed: count('pages whose lastmod is certainly later'),
    gone: count('pages that only the old crawl has; 0 when this crawl is not complete'),
  },
  'only with `--compare`',
);
export type ComparisonFields = Static<typeof COMPARISON>;

export const CRAWL_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  crawl: {
    records: [UrlRecord, CrawlStatsRecord, PageChangeRecord],
    summary: {
      urls: count('pages printed, counted or compared'),
      sitemaps: count('sitemaps opened'),
      not_modified: count('sitemaps not read again, by `--state`'),
      ...SAVED.schemas,
      delays: DELAYS,
      complete: flag('everything was read'),
      problems: list(
        Type.Object({
          sitemap: text('where'),
          code: text('code of the problem'),
          severity: oneOf(['error', 'warning', 'info'], 'an error makes the crawl incomplete'),
          message: text('what happened'),
          count: optional(count('how often; absent for once')),
          retry_after_ms: optional(count('wait that the server asked for; absent when it asked for none')),
        }),
        'the first 1,000 problems',
      ),
      comparison: optional(COMPARISON),
      problems_omitted: optional(count('problems beyond those')),
    },
  },
};
