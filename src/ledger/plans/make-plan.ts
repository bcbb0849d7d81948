import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import type { RunId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { takeBackMoved } from '../batches/take-back-moved.ts';
import { closeExpiredChecks } from '../index-checks/close-expired-checks.ts';
import { LedgerError } from '../ledger-error.ts';
import { requireSameService } from '../money/account.ts';
import type { Ledger } from '../open-ledger.ts';
import { countDue } from '../pages/due.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import { getAllowance, type PlanInput } from './allowance.ts';
import { PLAN_START, type PlanPosition, planNext } from './plan-next.ts';
import { type Plan, readPlan } from './read-plan.ts';
import { surveyDue } from './survey-due.ts';

/** A process that waits for a SQLite file asks for it every ten milliseconds at most: in this time one of them gets it. */
const PAUSE_MS = 5;

/**
 * How long a transaction of a plan begins batches, in milliseconds; it finishes its last one. Due URLs come in the order of the
 * URLs and their rows are stored in another, so a batch on its own would write a page of the database for each of its URLs.
 */
const TURN_MS = 1_000;

/**
 * Plans what is due, whole batches in each transaction: the generation of each of their URLs grows by one, and a batch has its
 * exact bytes and its key before anything is sent. A plan that was interrupted goes on where it was, and the same run
 * planned twice is planned once. What the watch has planned under an account that it has left is taken back before.
 */
export async function planRun(ledger: Ledger, run: RunId, input: PlanInput, turnMs = TURN_MS): Promise<Plan> {
  const { db, now } = ledger;
  await takeBackMoved(ledger, input.watch.id, input.account.id);
  let steps = 0;
  await makePlan(
    {
      db,
      now,
      async step(work) {
        if (steps++ > 0 && db.dialect === 'sqlite') await sleep(PAUSE_MS);
        const locked = async (tx: Queryable) => {
          await lockAccount(tx, input.account.id);
          return work(tx, await getPlannableRun(tx, run));
        };
        return db.tx(locked, { bulk: true });
      },
    },
    input,
    turnMs,
  );
  return readPlan(db, await getRun(db, run));
}

/** A run that may be planned: open, or ended as a preview; and not held without approval. */
export async function getPlannableRun(tx: Queryable, run: RunId): Promise<RunRow> {
  const row = await getRun(tx, run);
  if (row.planned_at !== null) return row;
  if (row.ended_at !== null && row.end_state !== 'previewed') {
    const planned = row.planned_urls ?? 0;
    throw new LedgerError(
      'RUN_ENDED',
      planned === 0
        ? `Run "${run}" has ended (${row.end_state}). Nothing was planned; what it found is planned by the next run.`
        : `Run "${run}" has ended (${row.end_state}) while it was planned. Its first ${planned} URLs are planned and are ` +
            'bought once; the others are planned by the next run.',
    );
  }
  if (row.held !== null && row.decision !== 'approved') {
    throw new LedgerError(
      'NOT_APPROVED',
      `Run "${run}" ${row.decision === 'rejected' ? `was rejected by ${row.decided_by}` : 'waits for approval'}. ` +
        'Nothing was planned or bought.',
    );
  }
  return row;
}

/** How the steps of a plan reach the ledger. */
export interface PlanSteps {
  /** For what is read between two steps. */
  readonly db: Queryable;
  readonly now: () => number;
  /** Does `work` with the account locked and the run as it is then: in a transaction, which may run it again. */
  step<T>(work: (tx: Queryable, run: RunRow) => Promise<T>): Promise<T>;
}

/**
 * Freezes what is due into batches with their keys, as far as the caps allow; the rest is held with the reason. Where the
 * caps allow even all URLs that have a reason, whatever the rules say of them, what is due is read once. Otherwise it is
 * counted first: what a cap holds today is bought before what comes later.
 */
export async function makePlan({ db, now, step }: PlanSteps, input: PlanInput, turnMs = TURN_MS): Promise<void> {
  let at = await step(async (tx, run): Promise<PlanPosition | 'planned' | { readonly capped: number }> => {
    if (run.planned_at !== null) return 'planned';
    await requireSameService(tx, input.account);
    await closeExpiredChecks(tx, input.account, now());
    const { refusal } = await getAllowance(
      tx,
      now(),
      run,
      input,
      input.only === undefined ? await countDue(tx, run.watch_id) : 1,
    );
    return refusal === null ? planNext(tx, now(), run, input, PLAN_START) : { capped: run.watch_id };
  });
  if (at !== 'planned' && 'capped' in at) {
    const { total, byFirstRun } = await surveyDue(db, at.capped, input.watch, now());
    at = await step(async (tx, run) => {
      if (run.planned_at !== null) return 'planned';
      const { urls, refusal } = await getAllowance(tx, now(), run, input, total);
      return planNext(tx, now(), run, input, { ...PLAN_START, places: allotOldest(byFirstRun, urls), refusal });
    });
  }
  while (at !== 'planned') {
    const position: PlanPosition = at;
    at = await step(async (tx, run) => {
      if (run.planned_at !== null) return 'planned';
      const begun = now();
      let next = await planNext(tx, begun, run, input, position);
      while (next !== 'planned' && now() - begun < turnMs)
        next = await planNext(tx, now(), await getRun(tx, run.name), input, next);
      return next;
    });
  }
}

/** Allots that many URLs, those first that the earliest runs found. */
function allotOldest(byFirstRun: ReadonlyMap<number, number>, allowed: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let room = allowed;
  for (const [run, urls] of [...byFirstRun].sort(([a], [b]) => a - b)) {
    places.set(run, Math.min(urls, room));
    room -= Math.min(urls, room);
  }
  return places;
}
