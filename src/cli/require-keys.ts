import type { Config } from '../config/config.ts';
import { readSecret } from '../config/secrets.ts';

/**
 * Reads the API key of every account once, before any work is begun. Throws the SecretMissingError (exit code 2) of the
 * first that is not there: found out in the night, it would hold every batch up until somebody looks.
 */
export function requireKeys({ accounts }: Config): void {
  for (const { apiKey } of accounts.values()) readSecret(apiKey);
}
