import { Command } from 'commander';
import { crawlCommand } from './crawl.ts';
import { demoCommand } from './demo/demo.ts';
import { EXIT } from './exit-codes.ts';
import { VERSION } from './output.ts';
import { schemaCommand } from './schema.ts';
import { validateCommand } from './validate.ts';
import { workerCommand } from './worker.ts';

export function program(): Command {
  const courier = new Command('courier')
    .description('Watches sitemaps and submits what is new, without ever paying twice.')
    .version(VERSION)
    .option('--config <file>', 'configuration file', 'courier.yaml')
    .option('--json', 'NDJSON on stdout: a version record first, a summary record last')
    .option('--quiet', 'no progress on stderr')
    .option('--verbose', 'more on stderr')
    .option('--no-color', 'no colours and no redrawn lines (NO_COLOR does the same)')
    .showHelpAfterError('(courier --help lists the commands)')
    .exitOverride((error) => {
      process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
    });
  courier.addCommand(demoCommand());
  courier.addCommand(workerCommand());
  courier.addCommand(crawlCommand());
  courier.addCommand(validateCommand());
  courier.addCommand(schemaCommand());
  for (const command of courier.commands) command.copyInheritedSettings(courier);
  return courier;
}

await program().parseAsync();
// Started by another of our programs: the channel to it would keep this one alive.
if (process.connected) process.disconnect();
