import { type Command, Option } from 'commander';
import type { Administration } from '../accounts/administration.ts';
import type { Operations } from '../operations/operations.ts';
import { openAdministration } from '../serve.ts';
import { readConfig } from './config.ts';

export const DEFAULT_DATABASE = 'sqlite:.courier/service.db';

export const databaseOption = (): Option =>
  new Option('--database <url>', `sqlite:PATH or postgres://… (${DEFAULT_DATABASE})`).env('COURIER_SERVICE_DATABASE');

export interface DatabaseFlags {
  readonly database?: string;
  readonly config?: string;
}

/** A command that works on the database. */
export const databaseCommand = (parent: Command, name: string, description: string): Command =>
  databaseOptions(parent.command(name).description(description));

export const databaseOptions = (command: Command): Command =>
  command.addOption(databaseOption()).option('--config <file>', 'settings file of serve, for its database');

export function findDatabase({ database, config }: DatabaseFlags): string {
  return database ?? (config === undefined ? undefined : readConfig(config).database) ?? DEFAULT_DATABASE;
}

/** Opens the tables, does the work, closes them. A running service sees the change on its next request. */
export async function withAdministration<T>(
  flags: DatabaseFlags,
  work: (accounts: Administration, operations: Operations) => Promise<T>,
): Promise<T> {
  const { accounts, operations, close } = await openAdministration(findDatabase(flags));
  try {
    return await work(accounts, operations);
  } finally {
    await close();
  }
}
