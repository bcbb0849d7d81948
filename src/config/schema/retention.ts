import { Type } from '../../json-schema/type.ts';
import { closed, Duration } from './values.ts';

export const Retention = Type.Object(
  {
    runs: Type.Optional(
      Duration({
        description: 'Age at which details of runs are removed: what was read of each sitemap, and skipped URLs.',
        default: '90d',
        examples: ['30d'],
      }),
    ),
    batches: Type.Optional(
      Duration({
        description: 'Age, since its job ended, at which the answers to a batch are removed.',
        default: '180d',
        examples: ['365d'],
      }),
    ),
    index_checks: Type.Optional(
      Duration({
        description: 'Age at which the result of each URL of an index-check is removed.',
        default: '365d',
        examples: ['730d'],
      }),
    ),
    archive: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Folder, relative to this configuration file, where details are kept as gzipped JSON Lines before they are removed.',
        examples: ['archive'],
      }),
    ),
    cron: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'When a worker removes them. Five fields: minute, hour, day of the month, month, day of the week.',
        default: '40 3 * * *',
        examples: ['0 2 * * 0'],
      }),
    ),
    timezone: Type.Optional(
      Type.String({ minLength: 1, description: 'IANA time zone.', default: 'UTC', examples: ['Europe/Istanbul'] }),
    ),
  },
  {
    ...closed,
    description:
      'When details are removed from the ledger; purchases, charges and what keeps a URL from being bought twice never are. ' +
      'Absent: nothing is removed.',
  },
);
