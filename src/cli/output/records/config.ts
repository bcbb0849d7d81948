import { type CommandOutput, count, flag, list, nullable, oneOf, text, texts } from '../../../cli-kit/record-schema.ts';
import { named, recordOf } from '../../../cli-kit/record-table.ts';
import type { ConfigProblem } from '../../../config/config-error.ts';
import type { Setting } from '../../../config/settings.ts';
import { Type } from '../../../json-schema/type.ts';
import type { SiteSurvey } from '../../../sitemap/survey-site.ts';

const ORIGINS = ['file', 'environment', 'default'] as const;

export const toSettingRecord = recordOf<Setting>()({
  type: named('setting', 'A setting in force.'),
  key: text('such as watches.shop.guard.max_new'),
  value: nullable(text('without secrets; null: not set, no default')),
  origin: oneOf(ORIGINS, 'origin'),
  file: nullable(text('path')),
  line: nullable(count('line')),
});

export const toWarningRecord = recordOf<ConfigProblem>()({
  type: named('warning', 'A setting that probably does not do what was meant.'),
  file: text('path'),
  line: nullable(count('null: the file as a whole')),
  column: nullable(count('column')),
  path: text('such as watches.shop.hosts'),
  message: text('what is wrong, and what to write'),
});

interface Surveyed extends SiteSurvey {
  /** Null: the site publishes nothing to watch. */
  readonly proposed: { readonly id: string; readonly hosts: readonly string[] } | null;
}

export const toSiteRecord = recordOf<Surveyed>()({
  type: named('site', 'What a site publishes.'),
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

export const CONFIG_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  validate: {
    records: [toWarningRecord.schema],
    summary: {
      accounts: count('configured accounts'),
      watches: count('configured watches'),
      warnings: count('number of warnings'),
    },
  },
  'config show': {
    records: [toSettingRecord.schema],
    summary: {
      files: texts('configuration files, in order'),
      settings: count('settings shown'),
    },
  },
  init: {
    records: [toSiteRecord.schema],
    summary: {
      file: nullable(text('file written')),
      watches: count('watches in it'),
      sites_without_sitemap: count('sites without a sitemap'),
    },
  },
};
