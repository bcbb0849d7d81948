import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { Config } from '../config/config.ts';
import { readApiKey } from '../config/secrets.ts';
import { findWorkers, listMissingDuties } from '../connector/find-workers.ts';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { DUTIES } from '../temporal-api/duties.ts';

/**
 * Reads the API key of every account once, before any work begins. Throws the SecretMissingError (exit code 2) of the
 * first that is missing: found during a scheduled run, it would hold up every batch until somebody notices.
 */
export function requireKeys({ accounts }: Config): void {
  for (const { apiKey } of accounts.values()) readApiKey(apiKey);
}

/** Throws a CommandError (exit code 5) when no worker would do a part of what is started. */
export async function requireWorker(temporal: Connected, ledger: LedgerId): Promise<void> {
  const missing = listMissingDuties(await findWorkers(temporal, ledger));
  if (missing.length === 0) return;
  const [what, start] =
    missing.length === DUTIES.length
      ? ['No worker of this ledger is running', 'courier worker']
      : [`No worker of this ledger does ${missing.join(', ')}`, `courier worker --duty ${missing.join(' ')}`];
  throw new CommandError(
    EXIT.transient,
    `${what}, so nothing was started or charged. Start "${start}", or add --once to work in this process.`,
  );
}
