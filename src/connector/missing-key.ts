import type { SecretReference } from '../config/schema.ts';
import { readApiKey, SecretMissingError } from '../config/secrets.ts';

/** A key file that is being replaced is missing for a moment. */
const SETTLE_MS = 3_000;

interface KeyToRead {
  readonly watch: string;
  readonly apiKey: SecretReference;
  /** The command ends when the key has been missing for this long. */
  readonly giveUpMs: number;
  readonly now: () => number;
  readonly warn: (sentence: string) => void;
}

/**
 * Reads the key again while a command follows a run that this process works for: without the key its requests wait, and
 * nothing else would say for what. Says so once, and once when it is back; throws after `giveUpMs`.
 */
export function createKeyMonitor({ watch, apiKey, giveUpMs, now, warn }: KeyToRead): () => void {
  let since: number | null = null;
  let isSaid = false;
  return () => {
    const missing = findMissing(apiKey);
    if (missing === null) {
      if (isSaid) warn(`${watch}: the API key can be read again; the run continues.`);
      since = null;
      isSaid = false;
      return;
    }
    since ??= now();
    const age = now() - since;
    if (age >= giveUpMs) throw new SecretMissingError(`${watch}: ${missing} ${LEFT}`, toPlace(apiKey));
    if (isSaid || age < SETTLE_MS) return;
    isSaid = true;
    warn(`${watch}: ${missing} The run waits for it.`);
  };
}

const LEFT =
  'What was bought is in the ledger, and planned batches keep their idempotency keys: the next run sends them and reads the ' +
  'results of open jobs.';

const toPlace = (apiKey: SecretReference) => ('file' in apiKey ? { file: apiKey.file } : {});

/** Why the key cannot be read; null when it can. */
export function findMissing(apiKey: SecretReference): string | null {
  try {
    readApiKey(apiKey);
    return null;
  } catch (error) {
    if (error instanceof SecretMissingError) return error.message;
    throw error;
  }
}
