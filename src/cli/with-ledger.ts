import { UsageError } from '../cli-kit/exit-codes.ts';
import type { Output } from '../cli-kit/output.ts';
import type { Account, Config, Watch } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { action, type Ending, type GlobalFlags } from './output/command.ts';

export interface CommandContext {
  readonly file: string;
  readonly config: Config;
  readonly ledger: Ledger;
}

/** Opens the configuration and its ledger for as long as `work` takes. */
export async function withLedger<T>({ config: file }: GlobalFlags, work: (context: CommandContext) => Promise<T>) {
  const config = loadConfig(file);
  const ledger = await openLedger(config.ledgerUrl);
  try {
    return await work({ file, config, ledger });
  } finally {
    await ledger.close();
  }
}

/** The action of a command that works with the ledger of its configuration. */
export const ledgerAction = <Args extends unknown[]>(
  work: (output: Output, context: CommandContext, ...args: Args) => Promise<Ending>,
) => action<Args>((output, flags, ...args) => withLedger(flags, (context) => work(output, context, ...args)));

/** The watches named, in that order; all of them when none is. */
export function selectWatches({ watches }: Config, names: readonly string[]): Watch[] {
  if (names.length === 0) return [...watches.values()];
  return names.map((name) => getWatch(watches, name));
}

export function getWatch(watches: Config['watches'], name: string): Watch {
  const watch = watches.get(name as WatchId);
  if (watch !== undefined) return watch;
  throw new UsageError(
    `The configuration has no watch "${name}". Nothing was read, submitted or charged. ` +
      `Its watches: ${[...watches.keys()].join(', ')}.`,
  );
}

/** The account of a watch, or one that a command names. */
export function getAccount({ accounts }: Config, name: string): Account {
  const account = accounts.get(name as AccountId);
  if (account !== undefined) return account;
  throw new UsageError(
    `The configuration has no account "${name}". Nothing was changed or charged. ` +
      `Its accounts: ${[...accounts.keys()].join(', ')}.`,
  );
}
