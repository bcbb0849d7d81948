import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { lockRuns, type RunHolder, unlockRuns } from '../ledger/runs/run-locks.ts';
import { isAlive } from '../temporal/is-alive.ts';
import { OperationError } from './operation-error.ts';

const LOCK_MS = 30_000;
const RENEW_MS = 5_000;

/**
 * Runs `work` as the only in-process run of these watches. Throws an OperationError (run_active), before anything
 * starts, when another command runs one of them.
 */
export async function withRunLock<T>(ledger: Ledger, watches: readonly Watch[], work: () => Promise<T>): Promise<T> {
  const ids = watches.map(({ id }) => id);
  const holder: RunHolder = { host: hostname(), pid: process.pid, nonce: randomUUID() };
  const lock = () => lockRuns(ledger, ids, holder, LOCK_MS, isGone);
  const locked = await lock();
  if (locked.kind === 'held') {
    const { watch, holder: other } = locked;
    throw new OperationError(
      'run_active',
      `Another "courier run --once" runs watch ${watch} now (process ${other.pid} on ${other.host}). This one ` +
        'submitted and charged nothing. Wait for the other one to end; it does the same work.',
    );
  }
  // A failed renewal is retried before the lock expires.
  const renewing = setInterval(() => void lock().catch(() => undefined), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await unlockRuns(ledger, ids, holder);
  }
}

/** A process on another machine cannot be checked: its lock expires with time. */
const isGone = ({ host, pid }: RunHolder): boolean => host === hostname() && pid !== process.pid && !isAlive(pid);
