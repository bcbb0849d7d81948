import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { ensureWatch } from '../accounts/watches.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';

export interface RunStart {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly run: RunId;
  /** The sitemaps the watch names, as the crawler will name them in its verdicts. */
  readonly sources: readonly string[];
  /**
   * A text that differs when another scope (hosts, include, exclude, hreflang) holds. What was kept of a sitemap under
   * another scope is not used: otherwise a URL let in by the new scope would hide behind a 304.
   */
  readonly scope: string;
  /** What the first run of a watch does with what is there: adopt it without buying, or buy it. */
  readonly firstRun: 'baseline' | 'submit';
  /** A run that did nothing for this long is ended as abandoned. Default: 24 h. Never a held one. */
  readonly staleAfterMs?: number;
}

export type RunBegun =
  | {
      readonly kind: 'begun';
      /** No run of the watch finished or planned anything before this one. */
      readonly firstRun: boolean;
      /** It was begun before: this is a retry. */
      readonly again: boolean;
    }
  /** Another run of the watch is active (exit code 9). */
  | { readonly kind: 'active'; readonly run: RunId; readonly since: number; readonly touchedAt: number };

export interface RunRow {
  readonly id: number;
  readonly name: RunId;
  readonly watch_id: number;
  readonly account_id: AccountId;
  readonly scope: string;
  readonly baseline: number;
  readonly first_run: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end_state: string | null;
  readonly complete: number | null;
  readonly found: number | null;
  readonly new_urls: number | null;
  readonly gone: number | null;
  readonly held: string | null;
  readonly decision: 'approved' | 'rejected' | null;
  readonly decided_by: string | null;
  /** What was shown before the decision; null: nobody decided. */
  readonly decided_urls: number | null;
  readonly decided_cost: Micros | null;
  readonly planned_at: number | null;
  /** What is planned so far: a plan that was interrupted goes on from there. */
  readonly planned_urls: number | null;
  readonly planned_batches: number | null;
  readonly planned_cost: Micros | null;
  readonly plan_due: string | null;
}

const DAY = 86_400_000;

/**
 * A condition on a run that a guard has let pass, although it may have ended as abandoned: it has planned something, or has
 * finished. What it was shown is known to the runs after it.
 */
export const HAS_PASSED: Query = sql`(end_state = 'finished' OR planned_urls IS NOT NULL)`;

/** Opens a run, once. At most one run of a watch is open: the index `runs_open` decides between two that race. */
export async function beginRun(ledger: Ledger, start: RunStart): Promise<RunBegun> {
  const { watch, account, run, sources, scope, firstRun, staleAfterMs = DAY } = start;
  const now = ledger.now();
  return ledger.db.tx(async (tx) => {
    const watchId = await ensureWatch(tx, watch, account);
    const before = await findRun(tx, run);
    if (before !== undefined) {
      if (before.ended_at !== null) throw ended(before);
      return { kind: 'begun', firstRun: before.first_run === 1, again: true };
    }
    await tx.run(sql`
      UPDATE runs SET ended_at = ${now}, end_state = 'abandoned'
      WHERE watch_id = ${watchId} AND ended_at IS NULL AND held IS NULL AND touched_at < ${now - staleAfterMs}`);
    const earlier = await tx.get(sql`
      SELECT 1 FROM runs WHERE watch_id = ${watchId} AND ${HAS_PASSED} LIMIT 1`);
    const first = earlier === undefined ? 1 : 0;
    const baseline = first === 1 && firstRun === 'baseline' ? 1 : 0;
    const { changes } = await tx.run(sql`
      INSERT INTO runs (name, watch_id, account_id, scope, baseline, first_run, started_at, touched_at)
      VALUES (${run}, ${watchId}, ${account}, ${scope}, ${baseline}, ${first}, ${now}, ${now})
      ON CONFLICT DO NOTHING`);
    if (changes === 0) {
      const other = await tx.one(sql<{ name: RunId; started_at: number; touched_at: number }>`
        SELECT name, started_at, touched_at FROM runs WHERE watch_id = ${watchId} AND ended_at IS NULL`);
      if (other.name === run) return { kind: 'begun', firstRun: first === 1, again: true };
      return { kind: 'active', run: other.name, since: other.started_at, touchedAt: other.touched_at };
    }
    for (const source of sources) {
      await tx.run(sql`
        INSERT INTO sitemaps (watch_id, url, baseline) VALUES (${watchId}, ${source}, ${baseline})
        ON CONFLICT (watch_id, url) DO NOTHING`);
    }
    return { kind: 'begun', firstRun: first === 1, again: false };
  });
}

/**
 * Ends a run: `finished` when it did all it should, `previewed` when it was a plan for review (it may
 * still be planned, see `planRun` in make-plan.ts), `abandoned` when its workflow is gone. Ending an ended run changes nothing.
 */
export async function endRun(ledger: Ledger, run: RunId, state: 'finished' | 'previewed' | 'abandoned'): Promise<void> {
  await ledger.db.run(sql`
    UPDATE runs SET ended_at = ${ledger.now()}, end_state = ${state} WHERE name = ${run} AND ended_at IS NULL`);
}

/** Records that the run is active, when nothing else is written for long. */
export async function touchRun(ledger: Ledger, run: RunId): Promise<void> {
  await ledger.db.run(sql`
    UPDATE runs SET touched_at = ${ledger.now()} WHERE name = ${run} AND ended_at IS NULL`);
}

export async function findRun(db: Queryable, run: RunId): Promise<RunRow | undefined> {
  return db.get(sql<RunRow>`
    SELECT id, name, watch_id, account_id, scope, baseline, first_run, started_at, ended_at, end_state, complete, found,
      new_urls, gone, held, decision, decided_by, decided_urls, decided_cost, planned_at, planned_urls, planned_batches,
      planned_cost, plan_due
    FROM runs WHERE name = ${run}`);
}

/** The run of a watch that has not ended; null without one. Uses runs_open. */
export async function findActiveRun(db: Queryable, watch: WatchId): Promise<RunId | null> {
  const row = await db.get(sql<{ name: RunId }>`
    SELECT r.name FROM runs AS r JOIN watches AS w ON w.id = r.watch_id WHERE w.name = ${watch} AND r.ended_at IS NULL`);
  return row?.name ?? null;
}

/** The run's row. Throws when it is not in the ledger. */
export async function getRun(db: Queryable, run: RunId): Promise<RunRow> {
  const row = await findRun(db, run);
  if (row !== undefined) return row;
  throw new LedgerError(
    'UNKNOWN_RUN',
    `The ledger has no run "${run}", as after a restore of an older copy. Nothing was changed or bought for it; the next ` +
      'run of the watch finds its URLs again.',
  );
}

/** The run's row while it is open: a worker that comes back after its run was given up must not write into it. */
export async function getOpenRun(db: Queryable, run: RunId): Promise<RunRow> {
  const row = await getRun(db, run);
  if (row.ended_at !== null) throw ended(row);
  return row;
}

function ended(row: RunRow): LedgerError {
  return new LedgerError(
    'RUN_ENDED',
    `Run "${row.name}" has ended (${row.end_state}). Nothing was changed; what it found is in the ledger, ` +
      'and the next run of the watch continues with it.',
  );
}
