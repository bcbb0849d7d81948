import type { Queryable } from '../../database/database.ts';
import type { RunId } from '../../submission/ids.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import { lockAccount } from '../runs/watches.ts';
import { makePlan, type Plan, type PlanInput, readPlan } from './make-plan.ts';

/**
 * Plans what is due, in one transaction: each URL's generation grows by one, and each batch has its exact bytes and its
 * key before anything is sent. The same run planned twice is planned once.
 */
export async function planRun(ledger: Ledger, run: RunId, input: PlanInput): Promise<Plan> {
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, input.account.id);
    const row = await getPlannableRun(tx, run);
    return row.planned_at === null ? makePlan(tx, ledger.now(), row, input) : readPlan(tx, row);
  });
}

/** A run that may be planned: open, or ended as a preview for a person; and not held without a yes. */
export async function getPlannableRun(tx: Queryable, run: RunId): Promise<RunRow> {
  const row = await getRun(tx, run);
  if (row.planned_at !== null) return row;
  if (row.ended_at !== null && row.end_state !== 'previewed') {
    throw new LedgerError(
      'RUN_ENDED',
      `Run "${run}" has ended (${row.end_state}). Nothing was planned; what it found is planned by the next run.`,
    );
  }
  if (row.held !== null && row.decision !== 'approved') {
    throw new LedgerError(
      'NOT_APPROVED',
      `Run "${run}" ${row.decision === 'rejected' ? `was rejected by ${row.decided_by}` : 'waits for a person'}. ` +
        'Nothing was planned or bought.',
    );
  }
  return row;
}
