import type { Command } from 'commander';
import { formatProblem } from '../../config/config-error.ts';
import { loadConfigFiles } from '../../config/load.ts';
import { listSettings, type Setting } from '../../config/settings.ts';
import { readTemporalEnvironment } from '../../temporal/settings.ts';
import { action } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { toSettingRecord, toWarningRecord } from '../output/records/config.ts';

export function validateCommand(command: Command): void {
  command.action(
    action(async (output, { config: file }) => {
      const {
        config: { accounts, watches },
        warnings,
      } = loadConfigFiles(file, { outside: true });
      for (const warning of warnings) {
        output.record(toWarningRecord(warning));
        output.warn(`warning: ${formatProblem(warning)}`);
      }
      output.print(
        `${file} is valid: ${formatCounted(accounts.size, 'account')}, ${formatCounted(watches.size, 'watch', 'watches')}${warnings.length === 0 ? '' : `, ${formatCounted(warnings.length, 'warning')}`}.`,
      );
      const summary = { accounts: accounts.size, watches: watches.size, warnings: warnings.length };
      return { summary };
    }),
  );
}

export function configCommand(command: Command): void {
  command
    .command('show')
    .description('show every setting in force, without secrets, and where it comes from')
    .argument('[prefix]', 'only settings whose name begins so, such as watches.shop')
    .action(
      action(async (output, { config: file }, prefix = '') => {
        const loaded = loadConfigFiles(file);
        const settings = listSettings(loaded, readTemporalEnvironment()).filter(({ key }) => isBelow(key, prefix));
        for (const setting of settings) output.record(toSettingRecord(setting));
        for (const line of formatSettings(settings)) output.print(line);
        return { summary: { files: [...loaded.files], settings: settings.length } };
      }),
    );
}

const isBelow = (key: string, prefix: string): boolean =>
  prefix === '' || key === prefix || key.startsWith(prefix.endsWith('.') ? prefix : `${prefix}.`);

const WIDEST = 48;

/** In columns: what, its value, where it comes from. A long value takes a line of its own. */
function formatSettings(settings: readonly Setting[]): string[] {
  const keys = Math.max(0, ...settings.map(({ key }) => key.length));
  const values = Math.min(WIDEST, Math.max(0, ...settings.map(({ value }) => formatValue(value).length)));
  return settings.map((setting) => {
    const { key, value, origin, file, line } = setting;
    const where = origin === 'file' ? `${file}:${line}` : origin;
    return `${key.padEnd(keys)}  ${formatValue(value).padEnd(values)}  ${where}`;
  });
}

const formatValue = (value: string | null): string => value ?? '-';
