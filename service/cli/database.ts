import { hostname, userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import type { Administration } from '../accounts/administration.ts';
import type { Operator } from '../accounts/audit-events.ts';
import type { Operations } from '../operations/operations.ts';
import { openAdministration } from '../serve.ts';
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

/** Opens the tables, does the work, closes them. A running service sees the change on its next request. */
export async function withAdministration<T>(
  flags: DatabaseFlags,
  work: (accounts: Administration, operations: Operations) => Promise<T>,
): Promise<T> {
  const { accounts, operations, close } = await openAdministration(findDatabase(flags), identifyOperator(process.env));
  try {
    return await work(accounts, operations);
  } finally {
    await close();
  }
}
