import { sql } from '../../database/sql.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
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

/** A watch that is not configured any more, and still has a run that waits for a decision. */
export interface RemovedWatch {
  readonly id: WatchId;
  readonly account: AccountId;
}

/** Watches beside the configured ones of which a guard holds a run, by name. Uses runs_open. */
export async function listRemovedHeld(
  ledger: Ledger,
  configured: { has(watch: WatchId): boolean },
): Promise<RemovedWatch[]> {
  const rows = await ledger.db.all(sql<RemovedWatch>`
    SELECT w.name AS id, w.account_id AS account FROM runs AS r JOIN watches AS w ON w.id = r.watch_id
    WHERE r.ended_at IS NULL AND r.held IS NOT NULL AND r.decision IS NULL ORDER BY w.name`);
  return rows.filter(({ id }) => !configured.has(id));
}

/** The watch of a run that waits for a decision; null when it does not. */
export async function findHeldWatch(ledger: Ledger, run: RunId): Promise<WatchId | null> {
  const row = await ledger.db.get(sql<{ name: WatchId }>`
    SELECT w.name FROM runs AS r JOIN watches AS w ON w.id = r.watch_id
    WHERE r.name = ${run} AND r.held IS NOT NULL AND r.decision IS NULL AND r.ended_at IS NULL`);
  return row?.name ?? null;
}

/** Whether a guard holds a run and nobody has decided on it. */
export async function isHeld(ledger: Ledger, run: RunId): Promise<boolean> {
  const row = await ledger.db.get(sql`
    SELECT 1 FROM runs WHERE name = ${run} AND held IS NOT NULL AND decision IS NULL AND ended_at IS NULL`);
  return row !== undefined;
}
