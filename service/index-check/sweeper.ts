import type { Database } from '../../src/database/database.ts';
import { runEvery } from '../capacity/run-every.ts';
import { restore, restoreExpired } from './settle.ts';

const SWEEP_MS = 1_000;

export interface Sweeper {
  /** Restores this check as soon as the storage can be used again, before its lease ends. */
  restoreSoon(id: string): void;
  close(): Promise<void>;
}

interface SweeperEvents {
  /** Charges were given back: of checks that failed, or whose process ended before they did. */
  readonly onRestored: (cause: 'failed' | 'lease') => void;
  readonly onError: (error: unknown) => void;
}

/** Restores expired checks at once and every second. */
export function runSweeper(db: Database, now: () => number, { onRestored, onError }: SweeperEvents): Sweeper {
  const soon = new Set<string>();

  async function sweepAll(): Promise<void> {
    for (const id of [...soon]) {
      if (await restore(db, id, now())) onRestored('failed');
      soon.delete(id);
    }
    for (let left = await restoreExpired(db, now()); left > 0; left--) onRestored('lease');
  }

  const close = runEvery(SWEEP_MS, sweepAll, onError);
  return { restoreSoon: (id) => void soon.add(id), close };
}
