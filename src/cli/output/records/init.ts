import { type CommandOutput, count, flag, list, nullable, text, texts } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';
import { Type } from '../../../json-schema/type.ts';
import type { SiteSurvey } from '../../../sitemap/survey-site.ts';

interface Surveyed extends SiteSurvey {
  /** Null: the site publishes nothing to watch. */
  readonly proposed: { readonly id: string; readonly hosts: readonly string[] } | null;
}

export const toSiteRecord = recordOf<Surveyed>()('site', 'What a site publishes.', {
  site: text('as on the command line'),
  watch: [nullable(text('name of the watch')), ({ proposed }) => proposed?.id ?? null],
  source: [nullable(text('robots.txt or sitemap of the watch')), ({ source }) => source?.url ?? null],
  urls: count('different pages in its sitemaps'),
  urls_with_lastmod: [count('pages with a lastmod'), ({ withLastmod }) => withLastmod],
  hosts: [
    list(Type.Object({ host: text('host'), urls: count('its pages') }), 'most frequent first'),
    ({ hosts }) => [...hosts].slice(0, 100).map(([host, urls]) => ({ host, urls })),
  ],
  hosts_proposed: [texts('hosts that the new configuration allows'), ({ proposed }) => proposed?.hosts ?? []],
  complete: flag('everything was read'),
  problems: [
    list(Type.Object({ url: text('address'), message: text('what happened') }), 'the first 20'),
    ({ problems }) => problems.map(({ url, message }) => ({ url, message })),
  ],
});

export const INIT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  init: {
    records: [toSiteRecord.schema],
    summary: {
      file: nullable(text('file written')),
      watches: count('watches in it'),
      sites_without_sitemap: count('sites without a sitemap'),
    },
  },
};
