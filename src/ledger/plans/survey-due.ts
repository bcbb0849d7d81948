import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { readInOrder } from '../../database/read-in-order.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { Url } from '../../url/normalize-url.ts';
import { BY_URL, DUE_PAGE, type DueCounts, type DueRow, NO_COUNTS, readDuePage } from '../pages/due.ts';
import {
  type DueDecision,
  type DuePolicy,
  decideDue,
  findSharedPages,
  hasOtherWatches,
  type SharedPage,
} from './resubmission.ts';

/** What a watch may buy now, in numbers: one pass over its due URLs. */
export interface DueSurvey {
  readonly counts: DueCounts;
  readonly total: number;
  /** By the run that found the URL first, so that a cap buys what has waited longest. */
  readonly byFirstRun: ReadonlyMap<number, number>;
  /** Of them those that no guard and no decision has let pass yet: what a guard judges. */
  readonly unguarded: DueCounts;
  /** The new ones of those, by the run that found them. */
  readonly newByRun: ReadonlyMap<number, number>;
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
  const newByRun = new Map<number, number>();
  const sample: Url[] = [];
  let total = 0;
  const add = ({ due, first_run: run, guard_passed: passed }: DueKind, urls: number): void => {
    total += urls;
    counts[due] += urls;
    byFirstRun.set(run, (byFirstRun.get(run) ?? 0) + urls);
    if (passed !== 0) return;
    unguarded[due] += urls;
    if (due === 'new') newByRun.set(run, (newByRun.get(run) ?? 0) + urls);
  };
  const isShared = policy !== null && (await hasOtherWatches(db, watchId));
  const decide = await createDecide(db, watchId, policy, now);
  for (let after: string | null = ''; after !== null; ) {
    const kinds: readonly PageKind[] = isShared ? [] : await readInOrder(db, selectPageKinds(watchId, after));
    const needsSample = sample.length < EXAMPLES && kinds.some(({ guard_passed }) => guard_passed === 0);
    if (!isShared && !needsSample && kinds.every(({ is_plain }) => is_plain === 1)) {
      for (const kind of kinds) add(kind, kind.urls);
      after = findPageEnd(kinds);
    } else {
      const page = await readDuePage(db, watchId, after);
      for (const { row, decision } of await decide(page)) {
        if (decision.kind !== 'due') continue;
        add(row, 1);
        if (row.guard_passed === 0 && sample.length < EXAMPLES) sample.push(row.url);
      }
      after = page.length < DUE_PAGE ? null : (page.at(-1)?.url ?? null);
    }
    await yieldToEventLoop();
  }
  return { counts, total, byFirstRun, unguarded, newByRun, sample };
}

type DueKind = Pick<DueRow, 'due' | 'first_run' | 'guard_passed'>;

/** URLs of a page that have these in common. */
interface PageKind extends DueKind {
  /** 1: they are due whatever the rules say, where no other watch of the account can have them. */
  readonly is_plain: number;
  readonly urls: number;
  readonly last: string;
}

/** The end of a page, or null where nothing follows it. */
function findPageEnd(kinds: readonly PageKind[]): string | null {
  const urls = kinds.reduce((sum, kind) => sum + kind.urls, 0);
  if (urls < DUE_PAGE) return null;
  const bytes = (text: string) => Buffer.from(text);
  return kinds.map(({ last }) => last).reduce((a, b) => (Buffer.compare(bytes(a), bytes(b)) < 0 ? b : a));
}

/**
 * A page of due URLs in numbers: most pages of a first run have one kind of them, and its rows need not be read. What is
 * plain here is `due` for `decideDue`. Uses urls_due.
 */
export const selectPageKinds = (watchId: number, after: string): Query<PageKind> => sql<PageKind>`
  SELECT due, first_run, guard_passed, is_plain, count(*) AS urls, max(${BY_URL}) AS last
  FROM (
    SELECT url, due, first_run, guard_passed, CASE WHEN due IN ('new', 'not-found', 'released') AND due_at IS NULL
      AND gone_run IS NULL AND state NOT IN ('planned', 'submitted', 'quarantined') THEN 1 ELSE 0 END AS is_plain
    FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL AND ${BY_URL} > ${after}
    ORDER BY ${BY_URL} LIMIT ${DUE_PAGE}) AS page
  GROUP BY due, first_run, guard_passed, is_plain`;

const ANY_REASON: DuePolicy = {
  resubmit: { onLastmodChange: true, notWithinMs: 0 },
  retryFailed: { times: Number.MAX_SAFE_INTEGER, afterMs: 0 },
};

export interface DecidedRow {
  /** Its generation and its time of purchase are those of the page, whichever watch of the account bought it. */
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
    const shared = isShared ? await findSharedPages(db, watchId, page) : null;
    return page.map((row) => {
      const known = shared?.get(row.id);
      const whole = known === undefined ? row : toWholePage(row, known);
      return { row: whole, decision: decideDue(whole, rules, known?.other ?? null, now) };
    });
  };
}

const toWholePage = (row: DueRow, { other, generation, boughtAt }: SharedPage): DueRow => ({
  ...row,
  // New to this watch alone: what another one has bought of it is older.
  due: row.due === 'new' && other === null && boughtAt !== null ? 'changed' : row.due,
  generation: Math.max(row.generation, generation),
  bought_at: row.bought_at === null || (boughtAt !== null && boughtAt > row.bought_at) ? boughtAt : row.bought_at,
});
