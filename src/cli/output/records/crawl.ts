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
import { DELAYS, SAVED_FIELDS } from '../politeness.ts';

/** Written by hand in crawl-lines.ts: a serializer takes as long for a million objects as the crawl. */
const UrlRecord = defineRecord('url', 'A page that a sitemap names.', {
  loc: text('as the sitemap has it'),
  url: optional(nullable(text('normalized; absent when it equals `loc`, null when `loc` names no page'))),
  lastmod: nullable(text('lastmod as written; null without one')),
  relative: optional(Type.Literal(true, { description: '`loc` is relative, which the protocol does not allow' })),
  sitemap: text('the sitemap that names it'),
});

export const CrawlStatsRecord = defineRecord('crawl_stats', 'What a crawl found, in numbers; only with `--stats`.', {
  urls: count('pages that the sitemaps name, those named twice included'),
  unique_urls: count('different pages'),
  duplicates: count('pages that were named before, in the same sitemap or in another'),
  relative_urls: count('records whose relative URL names no page'),
  lastmods: count('pages with a lastmod'),
  invalid_lastmods: count('of them, those that are not a W3C date'),
  lastmod_ages: group(
    {
      day: count('under a day old'),
      week: count('under 7 days'),
      month: count('under 30 days'),
      year: count('under 365 days'),
      older: count('older'),
      future: count('in the future'),
    },
    'pages by the age of their lastmod; each is counted once',
  ),
  hosts: list(
    Type.Object({ host: text('host, with its port if it has one'), urls: count('its pages') }),
    'the 20 hosts with the most pages',
  ),
  host_count: count('different hosts, up to 1,000'),
  urls_of_other_hosts: count('pages of hosts beyond those'),
  sitemaps_by_depth: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'sitemaps opened at each depth; the first number is that of the sources',
  }),
  slowest: list(
    Type.Object({ sitemap: text('which'), ms: count('from its request to its verdict, in milliseconds') }),
    'the 10 sitemaps that took longest',
  ),
});

export const PageChangeRecord = defineRecord(
  'page_change',
  'A page that differs from the old crawl; only with `--compare`.',
  {
    change: oneOf(['new', 'changed', 'gone'], 'changed: its lastmod is certainly later'),
    url: text('the page, normalized'),
    lastmod: nullable(text('its lastmod in this crawl, in UTC; null without one that counts')),
    old_lastmod: nullable(text('its lastmod in the old crawl, in the same form')),
  },
);

const COMPARISON = group(
  {
    old_urls: count('different pages of the old crawl'),
    old_complete: flag('whether the old crawl was complete; else no page is new'),
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
      urls: count('pages printed, counted with `--stats`, or compared with `--compare`'),
      sitemaps: count('sitemaps opened'),
      not_modified: count('sitemaps that `--state` did not need to read again'),
      ...SAVED_FIELDS,
      delays: DELAYS,
      complete: flag('whether everything was read to its end'),
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
      problems_omitted: optional(count('problems beyond those; absent for none')),
    },
  },
};
