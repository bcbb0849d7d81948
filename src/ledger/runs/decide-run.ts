import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignReason } from '../reason-columns.ts';
import { parseHold } from './run-hold.ts';
import { getRun } from './runs.ts';

export type RunDecision = 'approved' | 'rejected';

/**
 * Records the decision on a held run, with when, who and why (`by`: the name, then the note); the first decision stands.
 * Rejected: nothing of it is bought, its URLs are held with the name of who said so, and the next run is judged with them.
 */
export async function decideRun(ledger: Ledger, run: RunId, decision: RunDecision, by: string): Promise<RunDecision> {
  return ledger.db.tx(async (tx) => {
    const taken = await decide(tx, ledger.now(), run, decision, by);
    if (taken !== null) return taken;
    throw new LedgerError('NOTHING_TO_DECIDE', `Run "${run}" is not waiting for a decision. Nothing was changed.`);
  });
}

/**
 * The decision that was recorded on a held run, or null. It stands, whoever decides again. Throws when the ledger knows no
 * hold of that run, or has ended it: no decision could be recorded, so a run that waited for one would wait forever.
 */
export async function findDecision(
  { db }: Ledger,
  run: RunId,
): Promise<{ readonly decision: RunDecision; readonly by: string } | null> {
  const { held, ended_at: endedAt, decision, decided_by: by } = await getRun(db, run);
  if (decision !== null) return { decision, by: by ?? '' };
  if (held !== null && endedAt === null) return null;
  throw new LedgerError(
    'NOTHING_TO_DECIDE',
    `The ledger ${held === null ? 'does not know that a guard holds' : 'has ended'} run "${run}", as after a restore of an ` +
      'older copy. Nothing was bought for it; the next run of the watch finds its URLs again.',
  );
}

/** Whether an operator decided on a run of one of these batches. */
export async function isAnyDecided(
  db: Queryable,
  batches: readonly { readonly run_id: number | null }[],
): Promise<boolean> {
  const runs = new Set(batches.flatMap(({ run_id }) => run_id ?? []));
  if (runs.size === 0) return false;
  const ids = toRows(
    { id: 'bigint' },
    [...runs].map((id): Row => [id]),
  );
  const row = await db.get(sql`
    SELECT 1 FROM runs WHERE decided_urls IS NOT NULL AND id IN (SELECT id FROM ${ids} AS r) LIMIT 1`);
  return row !== undefined;
}

/** The same inside a transaction; null when the run is not held. */
export async function decide(
  tx: Queryable,
  now: number,
  run: RunId,
  decision: RunDecision,
  by: string,
): Promise<RunDecision | null> {
  const row = await getRun(tx, run);
  if (row.held === null || row.decision !== null) return row.decision;
  const { urls, cost } = parseHold(row.held).forecast;
  await tx.run(sql`
    UPDATE runs SET decision = ${decision}, decided_by = ${by}, decided_at = ${now},
      decided_urls = ${urls}, decided_cost = ${cost}
    WHERE id = ${row.id} AND decision IS NULL`);
  if (decision === 'rejected') {
    await tx.run(sql`
      UPDATE urls SET state = 'held', ${assignReason({ code: 'run_rejected', by })}
      WHERE watch_id = ${row.watch_id} AND due IS NOT NULL AND guard_passed = 0 AND state IN ('known', 'held')`);
  }
  return decision;
}
