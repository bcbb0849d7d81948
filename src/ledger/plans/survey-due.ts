import type { Queryable } from '../../database/database.ts';
import type { Url } from '../../url/normalize-url.ts';
import { type DueCounts, type DueRow, eachDuePage, NO_COUNTS } from './due.ts';
import { type DueDecision, type DuePolicy, decideDue, findOtherWatches, hasOtherWatches } from './resubmission.ts';

/** What a watch may buy now, in numbers: one pass over its due URLs. */
export interface DueSurvey {
  readonly counts: DueCounts;
  readonly total: number;
  /** By the run that found the URL first, so that a cap buys what has waited longest. */
  readonly byFirstRun: ReadonlyMap<number, number>;
  /** Of them those that no guard and no decision has let pass yet: what a guard judges. */
  readonly unguarded: DueCounts;
  /** A few of those. */
  readonly sample: readonly Url[];
}

const EXAMPLES = 5;

/**
 * Counts what is due under the watch's rules; `policy` null: whatever has a reason and is not waiting. Writes nothing.
 */
export async function surveyDue(
  db: Queryable,
  watchId: number,
  policy: DuePolicy | null,
  now: number,
): Promise<DueSurvey> {
  const counts = { ...NO_COUNTS };
  const unguarded = { ...NO_COUNTS };
  const byFirstRun = new Map<number, number>();
  const sample: Url[] = [];
  let total = 0;
  const decide = await createDecide(db, watchId, policy, now);
  for await (const page of eachDuePage(db, watchId)) {
    for (const { row, decision } of await decide(page)) {
      if (decision.kind !== 'due') continue;
      total += 1;
      counts[row.due] += 1;
      byFirstRun.set(row.first_run, (byFirstRun.get(row.first_run) ?? 0) + 1);
      if (row.guard_passed === 1) continue;
      unguarded[row.due] += 1;
      if (sample.length < EXAMPLES) sample.push(row.url);
    }
  }
  return { counts, total, byFirstRun, unguarded, sample };
}

const ANY_REASON: DuePolicy = {
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  retryFailed: { times: Number.MAX_SAFE_INTEGER, afterMs: 0 },
};

export interface DecidedRow {
  readonly row: DueRow;
  readonly decision: DueDecision;
}

/** What the rules of a watch say of its due URLs; `policy` null: of each that has a reason and is not waiting. */
export async function createDecide(
  db: Queryable,
  watchId: number,
  policy: DuePolicy | null,
  now: number,
): Promise<(page: readonly DueRow[]) => Promise<readonly DecidedRow[]>> {
  const rules = policy ?? ANY_REASON;
  const isShared = policy !== null && (await hasOtherWatches(db, watchId));
  return async (page) => {
    const others = isShared ? await findOtherWatches(db, watchId, page) : null;
    return page.map((row) => ({ row, decision: decideDue(row, rules, others?.get(row.id) ?? null, now) }));
  };
}
