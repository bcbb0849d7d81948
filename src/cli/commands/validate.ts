import { Command } from 'commander';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import { loadConfig } from '../../config/load.ts';
import { action } from '../output/command.ts';

export function validateCommand(): Command {
  return new Command('validate').description('check the configuration file without touching anything').action(
    action(async (output, { config: file = 'courier.yaml' }) => {
      const config = loadConfig(file);
      output.print(`${file} is good: ${config.accounts.size} accounts, ${config.watches.size} watches.`);
      return { exitCode: EXIT.done, summary: { accounts: config.accounts.size, watches: config.watches.size } };
    }),
  );
}
