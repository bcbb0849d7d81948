import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { Config } from '../config/config.ts';
import { readApiKey } from '../config/secrets.ts';
import { type BuildProblem, explainWorkers, formatBuild, formatStart } from '../connector/explain-builds.ts';
import { findWorkers, getCurrentBuild, listMissingDuties } from '../connector/find-workers.ts';
import type { LedgerId } from '../submission/ids.ts';
import { isDenied } from '../temporal/access-error.ts';
import type { Connected } from '../temporal/connect.ts';

/**
 * Reads the API key of every account once, before any work begins. Throws the SecretMissingError (exit code 2) of the
 * first that is missing: found during a scheduled run, it would hold up every batch until somebody notices.
 */
export function requireKeys({ accounts }: Config): void {
  for (const { apiKey } of accounts.values()) readApiKey(apiKey);
}

/** Throws a CommandError (exit code 5) when no worker would do a part of what is started. */
export async function requireWorker(temporal: Connected, ledger: LedgerId): Promise<void> {
  const missing = explainWorkers(await findWorkers(temporal, ledger));
  if (missing !== null) throw toUnserved(missing, 'Nothing was started or charged');
}

/** Throws a CommandError (exit code 2) when the server sends the work of the ledger to a build, and none to a worker with --once. */
export async function requireNoBuild(
  temporal: Pick<Connected, 'client' | 'namespace'>,
  ledger: LedgerId,
): Promise<void> {
  const workers = await findWorkers(temporal, ledger).catch((error: unknown) => {
    if (isDenied(error)) return null;
    throw error;
  });
  const current = workers === null ? null : getCurrentBuild(workers);
  if (workers === null || current === null) return;
  const missing = listMissingDuties(workers, current);
  const start = missing.length === 0 ? '' : `, and start "${formatStart(current, missing)}"`;
  throw new CommandError(
    EXIT.usage,
    `The Temporal server sends the work of this ledger to ${formatBuild(current)}, and nothing to a command with --once. ` +
      `Nothing was started or charged. Leave --once out${start}.`,
  );
}

/** Nobody would do what a command asks for. */
export function toUnserved({ build, problem, next }: BuildProblem, meaning: string): CommandError {
  // A worker with --once has no build, so the server sends it nothing where one is needed.
  const once = build === null ? ', or add --once to work in this process' : '';
  return new CommandError(EXIT.transient, `${toSentence(problem)}. ${meaning}. ${toSentence(next)}${once}.`);
}

export const toSentence = (text: string): string => text.replace(/^[a-z]/, (first) => first.toUpperCase());
