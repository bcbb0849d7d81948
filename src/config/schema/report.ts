import { Type } from '../../json-schema/type.ts';
import { Count, closed } from './values.ts';

export const REPORT_LANGUAGES = ['en', 'tr'] as const;

export const Report = Type.Object(
  {
    cron: Type.String({
      minLength: 1,
      description: 'Five fields: minute, hour, day of the month, month, day of the week.',
      examples: ['0 7 * * 1'],
    }),
    timezone: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'IANA time zone.',
        default: 'UTC',
        examples: ['Europe/Istanbul'],
      }),
    ),
    folder: Type.String({
      minLength: 1,
      description: 'Folder for courier-report-DATE.html, one for each day.',
      examples: ['reports'],
    }),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 366, description: 'Days up to today.', default: 31, examples: [90] }),
    ),
    keep: Type.Optional(Count('Reports that are kept; older ones are removed.', { default: 30, examples: [52] })),
    language: Type.Optional(
      Type.Enum([...REPORT_LANGUAGES], { description: 'Language of the page.', default: 'en', examples: ['tr'] }),
    ),
  },
  { ...closed, description: 'When a worker writes a report, and where. Absent: never.' },
);
