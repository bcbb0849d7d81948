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
  site: text('as on the command line'),
  watch: nullable(text('name of the watch')),
  source: nullable(text('robots.txt or sitemap of the watch')),
  urls: count('different pages in its sitemaps'),
  urls_with_lastmod: count('pages with a lastmod'),
  hosts: list(Type.Object({ host: text('host'), urls: count('its pages') }), 'most frequent first'),
  hosts_proposed: texts('hosts that the new configuration allows'),
  complete: flag('everything was read'),
  problems: list(Type.Object({ url: text('address'), message: text('what happened') }), 'the first 20'),
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
      file: nullable(text('file written')),
      watches: count('watches in it'),
      sites_without_sitemap: count('sites without a sitemap'),
    },
  },
};
