import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { parseHold, type RunHold } from '../runs/run-hold.ts';

/** A run that waits for a decision, with why. */
export interface HeldRun extends RunHold {
  readonly run: RunId;
}

/** The runs of a watch that a guard holds and nobody has decided on, newest first. Uses runs_by_watch. */
export async function listHeldRuns(ledger: Ledger, watch: WatchId): Promise<HeldRun[]> {
  const rows = await ledger.db.all(sql<{ name: RunId; held: string }>`
    SELECT name, held FROM runs WHERE watch_id = (SELECT id FROM watches WHERE name = ${watch})
      AND held IS NOT NULL AND decision IS NULL AND ended_at IS NULL
    ORDER BY started_at DESC, id DESC`);
  return rows.map(({ name, held }) => ({ run: name, ...parseHold(held) }));
}

/** Whether a guard holds a run and nobody has decided on it. */
export async function isHeld(ledger: Ledger, run: RunId): Promise<boolean> {
  const row = await ledger.db.get(sql`
    SELECT 1 FROM runs WHERE name = ${run} AND held IS NOT NULL AND decision IS NULL AND ended_at IS NULL`);
  return row !== undefined;
}
