import { Type } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  list,
  nullable,
  oneOf,
  optional,
  text,
} from '../../../cli-kit/record-schema.ts';

/** Written by hand in crawl-lines.ts: a serializer takes as long for a million objects as the crawl. */
const UrlRecord = defineRecord('url', 'A page that a sitemap names.', {
  loc: text('as the sitemap has it'),
  url: optional(nullable(text('normalized; absent when it equals `loc`, null when `loc` names no page'))),
  lastmod: nullable(text('lastmod as written; null without one')),
  relative: optional(Type.Literal(true, { description: '`loc` is relative, which the protocol does not allow' })),
  sitemap: text('the sitemap that names it'),
});

export const CRAWL_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  crawl: {
    records: [UrlRecord],
    summary: {
      urls: count('pages printed'),
      sitemaps: count('sitemaps opened'),
      not_modified: count('sitemaps that `--state` did not need to read again'),
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
      problems_omitted: optional(count('problems beyond those; absent for none')),
    },
  },
};
