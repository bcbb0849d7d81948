import { Command, CommanderError } from 'commander';
import { DOCS_FOLDER, VERSION } from '../observability/version.ts';
import { EXIT } from './exit-codes.ts';
import { openOutput, recordSummary, recordVersion } from './output.ts';
import { guardStdout } from './stdout.ts';

/** Brings the arguments, options and code of a command when it is asked for. */
type Load = () => Promise<(command: Command) => unknown>;

export interface ProgramDefinition<Name extends string> {
  readonly name: string;
  readonly description: string;
  /** The descriptions of the commands by the heading of the help that they are below; '': without headings. */
  readonly commands: Readonly<Record<string, Partial<Readonly<Record<NoInfer<Name>, string>>>>>;
  readonly load: Readonly<Record<Name, Load>>;
  /** Options of every command, besides those of the output. */
  readonly options?: (program: Command) => unknown;
}

export interface Program {
  readonly command: Command;
  /** Loads a command of the program by its name. */
  load(name: string): Promise<Command | null>;
}

/** Builds a program whose commands are stubs until commander has found which one the arguments name. */
export function createProgram<const Name extends string>(definition: ProgramDefinition<Name>): Program {
  const { name, description, commands, options } = definition;
  const headings = Object.keys(commands).map((heading) => (heading === '' ? '' : `${heading}:`));
  const program = new Command(name)
    .description(description)
    .version(VERSION)
    .option('--json', 'print NDJSON on stdout: a version record first, a summary record last')
    .option('--quiet', 'print no progress; what a command did only when it did not succeed, then on stderr')
    .option('--verbose', 'print more on stderr')
    .option('--no-color', 'print no colours and redraw no lines (as NO_COLOR does)')
    .configureHelp({ showGlobalOptions: true })
    .helpCommand(false)
    .addHelpText('after', `\nGuides and reference (docs/…): ${DOCS_FOLDER}`)
    .showHelpAfterError(
      `Nothing was changed or charged. "${name} --help" lists the commands, "${name} COMMAND --help" their options.`,
    )
    .exitOverride();
  options?.(program);
  for (const [at, group] of Object.values(commands).entries())
    for (const [each, does] of Object.entries(group as Readonly<Record<string, string>>))
      program
        .command(each)
        .description(does)
        .helpCommand(false)
        .helpGroup(headings[at] ?? '');

  const lazy = new Map(Object.entries<Load>(definition.load));
  const load = async (command: string): Promise<Command | null> => {
    const found = program.commands.find((each) => each.name() === command) ?? null;
    const bring = lazy.get(command);
    if (found === null || bring === undefined || !lazy.delete(command)) return found;
    (await bring())(found);
    inherit(found);
    return found;
  };
  program.hook('preSubcommand', async (_program, command) => {
    await load(command.name());
  });
  program
    .command('help')
    .helpGroup(headings.at(-1) ?? '')
    .description('show the help of a command')
    .argument('[command...]')
    .action(async ([first, ...rest]: string[]) => {
      let named = first === undefined ? program : await load(first);
      for (const next of rest) named = named?.commands.find((each) => each.name() === next) ?? named;
      (named ?? program).outputHelp();
    });
  return { command: program, load };
}

/** Commands made on their own know nothing of the program's settings (how to end, how to show help). */
function inherit(parent: Command): void {
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent));
}

/** Runs a program to its end. Sets the exit code; never shows a stack trace of the argument parser or of a closed pipe. */
export async function runProgram({ command }: Program, args: readonly string[]): Promise<void> {
  guardStdout();
  endWithLauncher();
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) endWithUsageError(command.name(), args, error);
  }
}

/** The launcher waits for this process and hands signals on: without it, the program could not be shut down cleanly. */
function endWithLauncher(): void {
  if (process.channel === undefined) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep the process alive.
  process.channel.unref();
}

/** Commander has written its message to stderr. */
function endWithUsageError(program: string, args: readonly string[], { code, message }: CommanderError): void {
  const output = openOutput({ json: args.includes('--json') });
  const error = code === 'commander.help' ? 'No command was given.' : message.replace(/^error: /, '');
  recordVersion(output, program);
  recordSummary(output, EXIT.usage, { error });
  process.exitCode = EXIT.usage;
}
