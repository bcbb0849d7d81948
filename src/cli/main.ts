import { Command } from 'commander';
import { EXIT } from '../cli-kit/exit-codes.ts';
import { openOutput } from '../cli-kit/output.ts';
import { VERSION } from '../observability/version.ts';

/** Loaded when asked for: Temporal's SDK alone takes a second and 100 MB that `crawl` and `validate` need not pay. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  demo: async () => (await import('./demo/demo.ts')).demoCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  plan: async () => (await import('./commands/plan.ts')).planCommand(),
  apply: async () => (await import('./commands/apply.ts')).applyCommand(),
  run: async () => (await import('./commands/run.ts')).runCommand(),
  check: async () => (await import('./commands/index-check.ts')).checkCommand(),
  recover: async () => (await import('./commands/recover.ts')).recoverCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  watch: async () => (await import('./commands/watch.ts')).watchCommand(),
  approve: async () => (await import('./commands/decide.ts')).approveCommand(),
  reject: async () => (await import('./commands/decide.ts')).rejectCommand(),
  submissions: async () => (await import('./commands/submissions.ts')).submissionsCommand(),
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  quarantine: async () => (await import('./commands/quarantine.ts')).quarantineCommand(),
  crawl: async () => (await import('./commands/crawl.ts')).crawlCommand(),
  validate: async () => (await import('./commands/validate.ts')).validateCommand(),
  schema: async () => (await import('./commands/schema.ts')).schemaCommand(),
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
      if (error.exitCode === 0) process.exit(EXIT.done);
      // With --json the output is a version and a summary record, also when no command ran.
      const summary = {
        type: 'summary',
        ok: false,
        exit_code: EXIT.usage,
        error: error.message.replace(/^error: /, ''),
      };
      openOutput('courier', { json: args.includes('--json') }).record(summary);
      process.exit(EXIT.usage);
    });
  const named = args.find((arg) => Object.hasOwn(COMMANDS, arg));
  const wanted = named === undefined ? Object.values(COMMANDS) : [COMMANDS[named]!];
  for (const load of wanted) courier.addCommand(await load());
  inherit(courier);
  return courier;
}

function inherit(parent: Command): void {
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent));
}

await (await program(process.argv.slice(2))).parseAsync();
// Started by another of our programs: the channel to it would keep this one alive.
if (process.connected) process.disconnect();
