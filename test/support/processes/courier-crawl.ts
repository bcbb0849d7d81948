import { Command } from 'commander';
import { crawlCommand } from '../../../src/cli/commands/crawl.ts';

/** `courier crawl` without the other commands, for the tests of the crawler. */
const program = new Command('courier')
  .option('--json')
  .option('--quiet')
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });
program.addCommand(crawlCommand());
for (const command of program.commands) command.copyInheritedSettings(program);
await program.parseAsync();
