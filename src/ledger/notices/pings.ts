import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** The last run of a watch for which its monitor was pinged; null before the first. */
export async function findPingedRun({ db }: Ledger, watch: WatchId): Promise<RunId | null> {
  const row = await db.get(sql<{ run: RunId }>`SELECT run FROM notice_pings WHERE watch = ${watch}`);
  return row?.run ?? null;
}

export async function recordPing({ db }: Ledger, watch: WatchId, run: RunId): Promise<void> {
  await db.run(sql`
    INSERT INTO notice_pings (watch, run) VALUES (${watch}, ${run})
    ON CONFLICT (watch) DO UPDATE SET run = excluded.run`);
}
