import type { Queryable } from '../../database/database.ts';
import type { RunId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import type { PlanInput } from './allowance.ts';
import { makePlan } from './make-plan.ts';
import { type Plan, readPlan } from './read-plan.ts';

/** A run with the settings for its plan. */
export interface RunToPlan {
  readonly run: RunId;
  readonly input: PlanInput;
}

/** Thrown to roll a transaction back. */
class PreviewRollback {
  readonly plans: readonly Plan[];

  constructor(plans: readonly Plan[]) {
    this.plans = plans;
  }
}

/**
 * The plans of several runs, made one after the other, so that the account's caps count once for all of them. Computed by
 * the planning code in a transaction that is rolled back: nothing is written, and the preview cannot differ. `inspect` reads
 * what is planned before that.
 */
export async function previewRuns(
  ledger: Ledger,
  runs: readonly RunToPlan[],
  { inspect }: { readonly inspect?: (tx: Queryable, run: RunRow) => Promise<void> } = {},
): Promise<readonly Plan[]> {
  try {
    return await ledger.db.tx(async (tx): Promise<readonly Plan[]> => {
      await lockAccounts(tx, runs);
      const plans: Plan[] = [];
      for (const { run, input } of runs) {
        const row = await getRun(tx, run);
        const step = async <T>(work: (tx: Queryable, run: RunRow) => Promise<T>) => work(tx, await getRun(tx, run));
        await makePlan({ db: tx, now: ledger.now, step }, input);
        plans.push(await readPlan(tx, row));
        await inspect?.(tx, row);
      }
      throw new PreviewRollback(plans);
    });
  } catch (thrown) {
    if (thrown instanceof PreviewRollback) return thrown.plans;
    throw thrown;
  }
}

/** Locks the accounts of the runs, always in the same order: concurrent plans wait and never deadlock. */
export async function lockAccounts(tx: Queryable, runs: readonly RunToPlan[]): Promise<void> {
  for (const account of [...new Set(runs.map(({ input }) => input.account.id))].sort()) await lockAccount(tx, account);
}
