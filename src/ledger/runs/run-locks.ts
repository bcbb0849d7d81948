import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** A command that runs watches in its own process. */
export interface RunHolder {
  readonly host: string;
  readonly pid: number;
  /** Distinguishes two processes with the same process id. */
  readonly nonce: string;
}

interface KeptLock {
  readonly holder: RunHolder;
  /** Epoch milliseconds. Past it the holder counts as dead. */
  readonly until: number;
}

export type RunLock =
  | { readonly kind: 'locked' }
  | { readonly kind: 'held'; readonly watch: WatchId; readonly holder: RunHolder };

const settingName = (watch: WatchId): string => `run_lock/${watch}`;

/**
 * Locks watches for one command, all or none. A lock ends with its time, or when `isGone` says that its holder died.
 * Renew it with the same call.
 */
export async function lockRuns(
  ledger: Ledger,
  watches: readonly WatchId[],
  holder: RunHolder,
  forMs: number,
  isGone: (holder: RunHolder) => boolean,
): Promise<RunLock> {
  const ownLock = JSON.stringify({ holder, until: ledger.now() + forMs } satisfies KeptLock);
  const taken: { watch: WatchId; holder: RunHolder }[] = [];
  const rollBack = new Error('held');
  try {
    await ledger.db.tx(async (tx) => {
      taken.length = 0;
      // Always in the same order, so that two commands never deadlock.
      for (const watch of watches.toSorted()) {
        const other = await lockOne(
          tx,
          watch,
          ownLock,
          (lock) => isMine(lock, holder) || lock.until <= ledger.now() || isGone(lock.holder),
        );
        if (other === null) continue;
        taken.push({ watch, holder: other });
        throw rollBack;
      }
    });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  const [first] = taken;
  return first === undefined ? { kind: 'locked' } : { kind: 'held', ...first };
}

const isMine = ({ holder: { host, pid, nonce } }: KeptLock, holder: RunHolder): boolean =>
  host === holder.host && pid === holder.pid && nonce === holder.nonce;

/** Null when this command now has the lock, else its holder. */
async function lockOne(
  tx: Queryable,
  watch: WatchId,
  ownLock: string,
  isFree: (lock: KeptLock) => boolean,
): Promise<RunHolder | null> {
  const name = settingName(watch);
  const inserted = await tx.run(sql`
    INSERT INTO ledger_settings (name, value) VALUES (${name}, ${ownLock}) ON CONFLICT (name) DO NOTHING`);
  if (inserted.changes === 1) return null;
  const { value } = await tx.one(sql<{ value: string }>`SELECT value FROM ledger_settings WHERE name = ${name}`);
  const lock = JSON.parse(value) as KeptLock;
  if (!isFree(lock)) return lock.holder;
  const updated = await tx.run(
    sql`UPDATE ledger_settings SET value = ${ownLock} WHERE name = ${name} AND value = ${value}`,
  );
  return updated.changes === 1 ? null : lock.holder;
}

/** Releases the locks that this command holds. */
export async function unlockRuns(ledger: Ledger, watches: readonly WatchId[], holder: RunHolder): Promise<void> {
  await ledger.db.tx(async (tx) => {
    for (const watch of watches.toSorted()) {
      const name = settingName(watch);
      const row = await tx.get(sql<{ value: string }>`SELECT value FROM ledger_settings WHERE name = ${name}`);
      if (row === undefined || !isMine(JSON.parse(row.value) as KeptLock, holder)) continue;
      await tx.run(sql`DELETE FROM ledger_settings WHERE name = ${name} AND value = ${row.value}`);
    }
  });
}
