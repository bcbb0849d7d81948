import { Type } from '../../json-schema/type.ts';
import { closed, Duration } from './values.ts';

export const Retention = Type.Object(
  {
    runs: Type.Optional(
      Duration({
        description: 'Of runs: what was read of each sitemap, and skipped URLs.',
        default: '90d',
        examples: ['30d'],
      }),
    ),
    batches: Type.Optional(
      Duration({
        description: 'Of answers to a batch, since its job ended.',
        default: '180d',
        examples: ['365d'],
      }),
    ),
    index_checks: Type.Optional(
      Duration({
        description: 'Of the result of each URL of an index-check.',
        default: '365d',
        examples: ['730d'],
      }),
    ),
    archive: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'Folder where details are kept as gzipped JSON Lines before.',
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
      'When details are removed; purchases, charges and what keeps a URL from being bought twice never are. Absent: never.',
  },
);
