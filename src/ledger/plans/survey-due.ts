import type { Queryable } from '../../database/database.ts';
import type { Url } from '../../url/normalize-url.ts';
import { type DueCounts, type DueRow, eachDuePage } from './due.ts';
import {
  type DueDecision,
  type DuePolicy,
  decideDue,
  findOtherWatches,
  hasOtherWatches,
  writeDecisions,
} from './resubmission.ts';

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
const noCounts = () => ({ new: 0, changed: 0, retry: 0, 'not-found': 0, released: 0 });

/** An empty survey to which pages are added. */
export function startSurvey(): { add(page: readonly DecidedRow[]): void; survey(): DueSurvey } {
  const counts = noCounts();
  const unguarded = noCounts();
  const byFirstRun = new Map<number, number>();
  const sample: Url[] = [];
  let total = 0;
  return {
    add(page) {
      for (const { row, decision } of page) {
        if (decision.kind !== 'due') continue;
        total += 1;
        counts[row.due] += 1;
        byFirstRun.set(row.first_run, (byFirstRun.get(row.first_run) ?? 0) + 1);
        if (row.guard_passed === 1) continue;
        unguarded[row.due] += 1;
        if (sample.length < EXAMPLES) sample.push(row.url);
      }
    },
    survey: () => ({ counts, total, byFirstRun, unguarded, sample }),
  };
}

/**
 * Counts what is due under the watch's rules; `policy` null: whatever has a reason and is not waiting. `write` records
 * what the rules decided, such as a change that is not resubmitted.
 */
export async function surveyDue(
  db: Queryable,
  watchId: number,
  policy: DuePolicy | null,
  now: number,
  { write = false }: { readonly write?: boolean } = {},
): Promise<DueSurvey> {
  const { add, survey } = startSurvey();
  for await (const page of eachDecidedPage(db, watchId, policy, now)) {
    if (write) await writeDecisions(db, page);
    add(page);
  }
  return survey();
}

const ANY_REASON: DuePolicy = {
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  retryFailed: { times: Number.MAX_SAFE_INTEGER, afterMs: 0 },
};

export interface DecidedRow {
  readonly row: DueRow;
  readonly decision: DueDecision;
}

/** The due URLs of a watch in the order of the URLs, with what its rules say of each. */
export async function* eachDecidedPage(
  db: Queryable,
  watchId: number,
  policy: DuePolicy | null,
  now: number,
): AsyncGenerator<readonly DecidedRow[]> {
  const rules = policy ?? ANY_REASON;
  const shared = policy !== null && (await hasOtherWatches(db, watchId));
  for await (const page of eachDuePage(db, watchId)) {
    const others = shared ? await findOtherWatches(db, watchId, page) : null;
    yield page.map((row) => ({ row, decision: decideDue(row, rules, others?.get(row.id) ?? null, now) }));
  }
}
