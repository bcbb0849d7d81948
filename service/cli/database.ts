import { Option } from 'commander';
import type { Administration } from '../accounts/administration.ts';
import { openAdministration } from '../serve.ts';
import { readConfig } from './config.ts';

export const DEFAULT_DATABASE = 'sqlite:.courier/service.db';

export const databaseOption = (): Option =>
  new Option('--database <url>', `sqlite:PATH or postgres://… (${DEFAULT_DATABASE})`).env('COURIER_SERVICE_DATABASE');

export interface DatabaseFlags {
  readonly database?: string;
  readonly config?: string;
}

/** Opens the tables, does the work, closes them. A running service sees the change on its next request. */
export async function withAdministration<T>(
  flags: DatabaseFlags,
  work: (accounts: Administration) => Promise<T>,
): Promise<T> {
  const named = flags.config === undefined ? undefined : readConfig(flags.config).database;
  const { accounts, close } = await openAdministration(flags.database ?? named ?? DEFAULT_DATABASE);
  try {
    return await work(accounts);
  } finally {
    await close();
  }
}
