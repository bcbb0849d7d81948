import { Cron, Duration, group, Text, Timezone } from './values.ts';

export const Retention = group(
  'When details are removed; purchases, charges and what keeps a URL from being bought twice never are. Absent: never.',
  {
    runs: Duration('Of runs: what was read of each sitemap, and skipped URLs.', { default: '90d', examples: ['30d'] }),
    batches: Duration('Of answers to a batch, since its job ended.', { default: '180d', examples: ['365d'] }),
    index_checks: Duration('Of the result of each URL of an index-check.', { default: '365d', examples: ['730d'] }),
    archive: Text('Folder where details are kept as gzipped JSON Lines before.', { examples: ['archive'] }),
    cron: Cron({ default: '40 3 * * *', examples: ['0 2 * * 0'] }, 'When a worker removes them. '),
    timezone: Timezone(),
  },
);
