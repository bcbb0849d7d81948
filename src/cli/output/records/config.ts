import { type CommandOutput, count, nullable, oneOf, text, texts } from '../../../cli-kit/record-schema.ts';
import { recordOf } from '../../../cli-kit/record-table.ts';
import type { ConfigProblem } from '../../../config/config-error.ts';
import type { Setting } from '../../../config/settings.ts';

const ORIGINS = ['file', 'environment', 'default'] as const;

export const toSettingRecord = recordOf<Setting>()('setting', 'A setting in force.', {
  key: text('such as watches.shop.guard.max_new'),
  value: nullable(text('without secrets; null: not set, no default')),
  origin: oneOf(ORIGINS, 'origin'),
  file: nullable(text('path')),
  line: nullable(count('line')),
});

export const toWarningRecord = recordOf<ConfigProblem>()(
  'warning',
  'A setting that probably does not do what was meant.',
  {
    file: text('path'),
    line: nullable(count('null: the file as a whole')),
    column: nullable(count('column')),
    path: text('such as watches.shop.hosts'),
    message: text('what is wrong, and what to write'),
  },
);

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
};
