import type { Database } from '../../src/database/database.ts';
import { restoreExpired } from './restore.ts';

const SWEEP_MS = 1_000;

/** Restores expired checks at once and every second. Returns how to stop it. */
export function runSweeper(db: Database, now: () => number, onError: (error: unknown) => void): () => Promise<void> {
  let sweeping: Promise<unknown> | undefined;
  const sweep = () => {
    sweeping ??= restoreExpired(db, now())
      .catch(onError)
      .finally(() => {
        sweeping = undefined;
      });
  };
  sweep();
  const timer = setInterval(sweep, SWEEP_MS).unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
