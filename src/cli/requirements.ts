import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { Config } from '../config/config.ts';
import { readSecret } from '../config/secrets.ts';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';

/**
 * Reads the API key of every account once, before any work begins. Throws the SecretMissingError (exit code 2) of the
 * first that is missing: found during a scheduled run, it would hold up every batch until somebody notices.
 */
export function requireKeys({ accounts }: Config): void {
  for (const { apiKey } of accounts.values()) readSecret(apiKey);
}

/** A worker's long poll, and a little more. */
const POLL_MS = 70_000;

/** Throws a CommandError (exit code 5) when no worker would do what is started. */
export async function requireWorker({ client, namespace }: Connected, ledger: LedgerId): Promise<void> {
  const taskQueue = { name: getTaskQueue(ledger) };
  const { pollers } = await client.workflowService.describeTaskQueue({ namespace, taskQueue });
  // The server lists pollers for minutes after they ended. A live one asks again every minute.
  const since = Date.now() - POLL_MS;
  if ((pollers ?? []).some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since)) return;
  throw new CommandError(
    EXIT.transient,
    'No worker of this ledger is running, so nothing was started or charged. Start "courier worker", or add --once to work in this process.',
  );
}
