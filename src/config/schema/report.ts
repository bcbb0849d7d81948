import { Type } from '../../json-schema/type.ts';
import { Count, Cron, optional, section, Text, Timezone } from './values.ts';

export const REPORT_LANGUAGES = ['en', 'tr'] as const;

export const Report = section('When a worker writes a report, and where. Absent: never.', {
  cron: Cron({ examples: ['0 7 * * 1'] }),
  ...optional({ timezone: Timezone() }),
  folder: Text('Folder for courier-report-DATE.html, one for each day.', { examples: ['reports'] }),
  ...optional({
    days: Type.Integer({ minimum: 1, maximum: 366, description: 'Days up to today.', default: 31, examples: [90] }),
    keep: Count('Reports that are kept; older ones are removed.', { default: 30, examples: [52] }),
    language: Type.Enum([...REPORT_LANGUAGES], {
      description: 'Language of the page.',
      default: 'en',
      examples: ['tr'],
    }),
  }),
});
