import { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import { VERSION } from './output.ts';

/** Loaded when asked for: Temporal's SDK alone takes a second and 100 MB that `crawl` and `validate` need not pay. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo/demo.ts')).demoCommand(),
  worker: async () => (await import('./worker.ts')).workerCommand(),
  crawl: async () => (await import('./crawl.ts')).crawlCommand(),
  validate: async () => (await import('./validate.ts')).validateCommand(),
  schema: async () => (await import('./schema.ts')).schemaCommand(),
};

/** The program with the command that the arguments name; with all of them for help and for a name that is none. */
export async function program(args: readonly string[]): Promise<Command> {
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
  const named = args.find((arg) => Object.hasOwn(COMMANDS, arg));
  const wanted = named === undefined ? Object.values(COMMANDS) : [COMMANDS[named]!];
  for (const load of wanted) courier.addCommand(await load());
  for (const command of courier.commands) command.copyInheritedSettings(courier);
  return courier;
}

await (await program(process.argv.slice(2))).parseAsync();
// Started by another of our programs: the channel to it would keep this one alive.
if (process.connected) process.disconnect();
