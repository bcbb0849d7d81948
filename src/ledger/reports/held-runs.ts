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

/** A held run of any watch. */
export interface HeldOfWatch extends HeldRun {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly since: number;
}

/** The held runs of all watches, also of those that are not configured any more, by watch. Uses runs_open. */
export async function listAllHeld(ledger: Ledger): Promise<HeldOfWatch[]> {
  const rows = await ledger.db.all(sql<{
    watch: WatchId;
    account: AccountId;
    run: RunId;
    held: string;
    since: number;
  }>`
    SELECT w.name AS watch, w.account_id AS account, r.name AS run, r.held, r.started_at AS since
    FROM runs AS r JOIN watches AS w ON w.id = r.watch_id
    WHERE r.ended_at IS NULL AND r.held IS NOT NULL AND r.decision IS NULL ORDER BY w.name, r.started_at DESC`);
  return rows.map(({ held, ...row }) => ({ ...row, ...parseHold(held) }));
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
