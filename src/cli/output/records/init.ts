import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  list,
  nullable,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { Type } from '../../../json-schema/type.ts';
import type { SiteSurvey } from '../../../sitemap/survey-site.ts';

const SiteRecord = defineRecord('site', 'What a site publishes.', {
  site: text('as named on the command line'),
  watch: nullable(text('name of its watch; null when no sitemap was found')),
  source: nullable(text('the robots.txt or sitemap that the watch reads; null when none was found')),
  urls: count('different pages that its sitemaps name'),
  urls_with_lastmod: count('pages with a lastmod'),
  hosts: list(
    Type.Object({ host: text('host'), urls: count('its pages') }),
    'hosts of the pages, the most frequent first',
  ),
  hosts_proposed: texts('hosts whose URLs the configuration lets be bought'),
  complete: flag('whether everything was read to its end'),
  problems: list(Type.Object({ url: text('address'), message: text('what happened') }), 'the first 20 problems'),
});

export function toSiteRecord(survey: SiteSurvey, watch: { id: string; hosts: readonly string[] } | null) {
  return {
    type: 'site' as const,
    site: survey.site,
    watch: watch?.id ?? null,
    source: survey.source?.url ?? null,
    urls: survey.urls,
    urls_with_lastmod: survey.withLastmod,
    hosts: [...survey.hosts].slice(0, 100).map(([host, urls]) => ({ host, urls })),
    hosts_proposed: [...(watch?.hosts ?? [])],
    complete: survey.complete,
    problems: survey.problems.map(({ url, message }) => ({ url, message })),
  };
}

export const INIT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  init: {
    records: [SiteRecord],
    summary: {
      file: nullable(text('configuration that was written; null when no site has a sitemap')),
      watches: count('watches in it'),
      sites_without_sitemap: count('sites of which no sitemap was found'),
    },
  },
};
