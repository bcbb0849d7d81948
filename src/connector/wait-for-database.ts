import { DatabaseUnavailableError } from '../database/database.ts';
import { isTemporary } from '../database/postgres-failure.ts';
import type { Logger } from '../observability/log.ts';

/** A failover takes seconds to minutes. What takes longer is for whoever operates the server. */
const WAIT_MS = 5 * 60_000;
const PAUSE_MS = 2_000;
const SAY_EVERY_MS = 30_000;

export interface WaitDeps {
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/**
 * Opens a database, and tries again while its server restarts, fails over or has no free connection: for five minutes at
 * most. Rejects with the last failure; at once where waiting does not help, such as a wrong password.
 */
export async function waitForDatabase<T>(open: () => Promise<T>, { log, now, sleep }: WaitDeps): Promise<T> {
  const began = now();
  let said: number | null = null;
  for (;;) {
    try {
      const opened = await open();
      if (said !== null) log.info(`The ledger can be used after ${toSeconds(now() - began)} s. The worker starts.`);
      return opened;
    } catch (error) {
      const waited = now() - began;
      if (!(error instanceof DatabaseUnavailableError && isTemporary(error.cause)) || waited >= WAIT_MS) throw error;
      if (said === null || now() - said >= SAY_EVERY_MS) {
        log.warn(
          `The ledger cannot be used yet: ${error.message}. Nothing was sent or charged. The worker tries again every ` +
            `${toSeconds(PAUSE_MS)} s; it ends with exit code 5 in ${toSeconds(WAIT_MS - waited)} s.`,
        );
        said = now();
      }
      await sleep(PAUSE_MS);
    }
  }
}

const toSeconds = (ms: number): number => Math.round(ms / 1_000);
