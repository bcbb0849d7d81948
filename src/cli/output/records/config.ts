import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import type { ConfigProblem } from '../../../config/config-error.ts';
import type { Setting } from '../../../config/settings.ts';

const ORIGINS = ['file', 'environment', 'default'] as const;

const SettingRecord = defineRecord('setting', 'A setting in force.', {
  key: text('such as watches.shop.guard.max_new'),
  value: nullable(text('without secrets; null: not set, no default')),
  origin: oneOf(ORIGINS, 'origin'),
  file: nullable(text('path')),
  line: nullable(count('line')),
});

export const toSettingRecord = ({ key, value, origin, file, line }: Setting): Static<typeof SettingRecord> => ({
  type: 'setting',
  key,
  value,
  origin,
  file,
  line,
});

const WarningRecord = defineRecord('warning', 'A setting that probably does not do what was meant.', {
  file: text('path'),
  line: nullable(count('null: the file as a whole')),
  column: nullable(count('column')),
  path: text('such as watches.shop.hosts'),
  message: text('what is wrong, and what to write'),
});

export const toWarningRecord = ({
  file,
  line,
  column,
  path,
  message,
}: ConfigProblem): Static<typeof WarningRecord> => ({
  type: 'warning',
  file,
  line,
  column,
  path,
  message,
});

export const CONFIG_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  validate: {
    records: [WarningRecord],
    summary: {
      accounts: count('configured accounts'),
      watches: count('configured watches'),
      warnings: count('number of warnings'),
    },
  },
  'config show': {
    records: [SettingRecord],
    summary: {
      files: texts('configuration files, in order'),
      settings: count('settings shown'),
    },
  },
};
