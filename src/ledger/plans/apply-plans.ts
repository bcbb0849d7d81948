import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { decide } from '../runs/decide-run.ts';
import type { RunRow } from '../runs/runs.ts';
import { getPlannableRun, makePlan } from './make-plan.ts';
import { lockAccounts, type RunToPlan } from './preview-runs.ts';
import { type Plan, readPlan } from './read-plan.ts';

/** A reviewed plan. */
export interface PlanToApply extends RunToPlan {
  /** Names exactly that plan: `Plan.digest` of its preview. */
  readonly digest: string;
}

/**
 * Carries out exactly these plans, all of them or none, once. Refuses (LedgerError) when one of them was applied
 * before, when what is due, its price or its caps have changed since (STALE_PLAN), and, unless `approvedBy` names who
 * decided, when a guard holds one.
 */
export async function applyPlans(
  ledger: Ledger,
  plans: readonly PlanToApply[],
  { approvedBy }: { readonly approvedBy: string | null },
): Promise<readonly Plan[]> {
  const apply = async (tx: Queryable): Promise<readonly Plan[]> => {
    await lockAccounts(tx, plans);
    const applied: Plan[] = [];
    for (const { run, input, digest } of plans) {
      if (approvedBy !== null) await decide(tx, ledger.now(), run, 'approved', approvedBy);
      const row = await getPlannableRun(tx, run);
      if (row.planned_at !== null) throw appliedBefore(row);
      const step = async <T>(work: (tx: Queryable, run: RunRow) => Promise<T>) =>
        work(tx, await getPlannableRun(tx, run));
      await makePlan({ db: tx, now: ledger.now, step }, input);
      const plan = await readPlan(tx, row);
      if (plan.digest !== digest) throw stale(row);
      // Sent as planned, or not at all: a price may rise meanwhile. A preview that was carried out has done what a run does:
      // the next run of the watch is not its first.
      await tx.run(sql`
        UPDATE runs SET decided_urls = ${plan.urls}, decided_cost = ${plan.cost},
          end_state = CASE WHEN end_state = 'previewed' THEN 'finished' ELSE end_state END
        WHERE id = ${row.id}`);
      applied.push(plan);
    }
    return applied;
  };
  return ledger.db.tx(apply, { bulk: true });
}

function stale(run: RunRow): LedgerError {
  return new LedgerError(
    'STALE_PLAN',
    `The plan of run "${run.name}" is out of date: what is due, its price or its caps have changed since. ` +
      'Nothing was planned or bought. Make a new plan and check it.',
  );
}

function appliedBefore(run: RunRow): LedgerError {
  return new LedgerError(
    'PLAN_APPLIED',
    `The plan of run "${run.name}" was already applied. Nothing is bought twice. Make a new plan for the URLs that are due now.`,
  );
}
