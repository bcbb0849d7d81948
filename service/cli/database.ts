import { hostname, userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Output } from '../../src/cli-kit/output.ts';
import type { Administration } from '../accounts/administration.ts';
import type { Operator } from '../accounts/audit-events.ts';
import type { Operations } from '../operations/operations.ts';
import { openAdministration } from '../serve.ts';
import { run } from './command.ts';
import { readConfig } from './config/file.ts';

export const DEFAULT_DATABASE = 'sqlite:.courier/service.db';

export const databaseOption = (): Option =>
  new Option('--database <url>', `sqlite:PATH or postgres://… (${DEFAULT_DATABASE})`).env('COURIER_SERVICE_DATABASE');

export const configOption = (description: string): Option =>
  new Option('--config <file>', description).env('COURIER_SERVICE_CONFIG');

export interface DatabaseFlags {
  readonly database?: string;
  readonly config?: string;
}

/** A command that works on the database; `--name` names an account. */
export const accountVerb = (parent: Command, name: string, description: string): Command =>
  databaseCommand(parent, name, description).requiredOption('--name <name>', 'name of the account');

/** A command that works on the database. */
export const databaseCommand = (parent: Command, name: string, description: string): Command =>
  databaseOptions(parent.command(name).description(description));

export const databaseOptions = (command: Command): Command =>
  command.addOption(databaseOption()).addOption(configOption('settings file of serve, for its database'));

export function findDatabase({ database, config }: DatabaseFlags): string {
  return database ?? (config === undefined ? undefined : readConfig(config).database) ?? DEFAULT_DATABASE;
}

/** For the audit log: the user at the machine, and the address they are connected from. */
export function identifyOperator(env: NodeJS.ProcessEnv): Operator {
  const user = env.SUDO_USER ?? userInfo().username;
  const [from] = (env.SSH_CLIENT ?? '').split(' ');
  const address = `${user}@${hostname()}${from ? ` from ${from}` : ''}`.slice(0, MAX_ADDRESS);
  return { kind: 'operator', address };
}

const MAX_ADDRESS = 200;

/** Flags of a command for one account. */
export interface Named {
  readonly name: string;
}

/** What a command may do with the tables. */
interface Opened {
  readonly output: Output;
  readonly accounts: Administration;
  readonly operations: Operations;
}

/** The action of a command: opens the tables, works, closes them. A running service sees the change on its next request. */
export const administer = <Flags, Args extends unknown[] = []>(
  work: (opened: Opened, ...args: [...Args, DatabaseFlags & Flags]) => Promise<void>,
) =>
  run<[...Args, DatabaseFlags & Flags]>(async (output, ...args) => {
    const flags = args.at(-1) as DatabaseFlags;
    const { close, ...opened } = await openAdministration(findDatabase(flags), identifyOperator(process.env));
    try {
      await work({ output, ...opened }, ...args);
    } finally {
      await close();
    }
  });
