import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import type { Config } from '../config/config.ts';
import { readApiKey } from '../config/secrets.ts';
import { type BuildProblem, explainWorkers } from '../connector/explain-builds.ts';
import { findWorkers, getCurrentBuild } from '../connector/find-workers.ts';
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

type Temporal = Pick<Connected, 'client' | 'namespace'>;

/** Throws a CommandError (exit code 5) when no worker would do a part of what is started. */
export async function requireWorker(temporal: Temporal, ledger: LedgerId): Promise<void> {
  const missing = explainWorkers(await findWorkers(temporal, ledger));
  if (missing !== null) throw toUnserved(missing, 'Nothing was started or charged');
}

/**
 * Throws a CommandError (exit code 5) when the work of the ledger goes to a build without workers. A worker with --once has no
 * build, so it would be given nothing.
 */
export async function requireCurrentBuild(temporal: Temporal, ledger: LedgerId): Promise<void> {
  const workers = await findWorkers(temporal, ledger).catch((error: unknown) => {
    // Without a build this is the only request that needs the right.
    if (isDenied(error)) return null;
    throw error;
  });
  if (workers === null || getCurrentBuild(workers) === null) return;
  const missing = explainWorkers(workers);
  if (missing !== null) throw toUnserved(missing, 'Nothing was started or charged');
}

/** Nobody would do what a command asks for. */
export function toUnserved({ build, problem, next }: BuildProblem, meaning: string): CommandError {
  // A worker with --once has no build, so the server sends it nothing where one is needed.
  const once = build === null ? ', or add --once to work in this process' : '';
  return new CommandError(EXIT.transient, `${toSentence(problem)}. ${meaning}. ${toSentence(next)}${once}.`);
}

export const toSentence = (text: string): string => text.replace(/^[a-z]/, (first) => first.toUpperCase());
