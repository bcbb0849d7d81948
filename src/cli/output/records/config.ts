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
  key: text('its name, such as watches.shop.guard.max_new'),
  value: nullable(text('as the configuration writes it, without secrets; null when it is not set and has no default')),
  origin: oneOf(ORIGINS, 'where it comes from'),
  file: nullable(text('the file that has it; null when no file does')),
  line: nullable(count('its line in that file; null when no file has it')),
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
  file: text('the file that has it'),
  line: nullable(count('its line; null when it is about the file as a whole')),
  column: nullable(count('its column; null likewise')),
  path: text('its name, such as watches.shop.hosts'),
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
      warnings: count('settings that probably do not do what was meant'),
    },
  },
  'config show': {
    records: [SettingRecord],
    summary: {
      files: texts('the files of the configuration, in their order'),
      settings: count('settings shown'),
    },
  },
};
