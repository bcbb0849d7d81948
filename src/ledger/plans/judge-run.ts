import { timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type Change, type GuardPolicy, guardTrips } from '../../submission/guard.ts';
import type { Forecast } from '../../submission/hold-question.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { findBalance } from '../money/balance.ts';
import type { Ledger } from '../open-ledger.ts';
import { getAllowance, type PlanInput } from '../plans/allowance.ts';
import { surveyDue } from '../plans/survey-due.ts';
import { countGoneSinceLastRun, selectRunsSinceLast } from '../runs/gone-since-last-run.ts';
import { parseHold, type RunHold, storeHold } from '../runs/run-hold.ts';
import { getRun, HAS_PASSED, type RunRow } from '../runs/runs.ts';

const EXAMPLES = 5;

/**
 * Whether the change is plausible; if not, the run is held and nothing of it is planned until you approve it. Every new
 * or changed URL that no guard has let pass counts, also one that an earlier run found: a rejected relaunch does not
 * slip in with the next run. A first run that adopts is not judged, because it buys nothing. Judged once; a retry reads
 * the decision. Without `input` neither the caps nor a price is asked. `refresh` reads the balance and the prices from the
 * service: called
 * before the run is held, so that a top-up a moment ago counts, and where a floor is set and no balance was ever read.
 */
export async function judgeRun(
  ledger: Ledger,
  run: RunId,
  guard: GuardPolicy,
  { input, refresh }: { readonly input?: PlanInput; readonly refresh?: () => Promise<void> } = {},
): Promise<RunHold | null> {
  const { db } = ledger;
  const row = await getRun(db, run);
  if (row.held !== null) return row.decision === 'approved' ? null : parseHold(row.held);
  if (row.planned_at !== null || row.ended_at !== null) return null;
  const now = ledger.now();
  const due = await surveyDue(db, row.watch_id, input?.watch ?? null, now);
  const gone = await countGoneSinceLastRun(db, row.name);
  const change: Change = {
    newUrls: due.unguarded.new,
    changed: due.unguarded.changed,
    gone,
    knownBefore:
      row.first_run === 1
        ? null
        : Math.max(await countKnownBefore(db, row, gone, due.newByRun), await countBeforeRename(db, row)),
  };
  const reasons: Reason[] = guardTrips(change, guard);
  let forecast: Forecast = { urls: due.total, cost: null, allowed: due.total };
  if (input !== undefined) {
    let allowance = await getAllowance(db, now, row, input, due.total);
    // What was let pass before and a cap spreads over several runs does not ask again: only what is new to the cap does.
    const unguarded = Object.values(due.unguarded).reduce((sum, part) => sum + part, 0);
    const isShort = ({ refusal, urls }: typeof allowance) => refusal !== null && urls < unguarded;
    const asksService =
      reasons.length > 0 || isShort(allowance) || (due.total > 0 && (await lacksBalance(ledger, input.account)));
    if (refresh !== undefined && asksService) {
      await refresh();
      allowance = await getAllowance(db, ledger.now(), row, input, due.total);
    }
    const { urls, refusal, price } = allowance;
    const cost = price.perUrl === null ? null : timesMicros(price.perUrl, due.total);
    forecast = { urls: due.total, cost, allowed: urls };
    if (refusal !== null && isShort(allowance)) reasons.push(refusal.reason);
  }
  if (reasons.length === 0) return null;
  const gonePages = await db.all(sql<{ url: string }>`
    SELECT url FROM urls WHERE gone_run = ${row.id} LIMIT ${Math.max(1, EXAMPLES - due.sample.length)}`);
  const sample = [...due.sample, ...gonePages.map(({ url }) => url)].slice(0, EXAMPLES);
  const held: RunHold = { reasons, sample, forecast };
  await db.run(sql`UPDATE runs SET held = ${storeHold(held)} WHERE id = ${row.id} AND held IS NULL`);
  return held;
}

/**
 * URLs that the last run which passed its guard left as present. What is new since does not count, whatever the rules say of
 * it: another watch may have bought it. Nor is what an earlier run found and no guard has let pass.
 */
async function countKnownBefore(
  db: Queryable,
  run: RunRow,
  gone: number,
  newByRun: ReadonlyMap<number, number>,
): Promise<number> {
  const since = new Set((await db.all(selectRunsSinceLast(run))).map(({ id }) => id));
  const earlier = [...newByRun].reduce((sum, [id, urls]) => (since.has(id) ? sum : sum + urls), 0);
  return Math.max(0, (run.found ?? 0) + gone - (run.new_urls ?? 0) - earlier);
}

/**
 * All of a watch that was renamed, and has its name back, have come from the other name and are new to it: what it knew is what
 * its last run that passed its guard found. 0 where some are not new.
 */
async function countBeforeRename(db: Queryable, { id, watch_id, found, new_urls }: RunRow): Promise<number> {
  if (found !== new_urls) return 0;
  const last = await db.get(sql<{ found: number | null }>`
    SELECT found FROM runs WHERE watch_id = ${watch_id} AND id < ${id} AND ${HAS_PASSED} ORDER BY id DESC LIMIT 1`);
  return last?.found ?? 0;
}

/** A floor bounds nothing while no balance is known: the run would be planned, and wait for money only afterwards. */
const lacksBalance = async (ledger: Ledger, { id, spend }: PlanInput['account']): Promise<boolean> =>
  spend.balanceFloor > 0 && (await findBalance(ledger.db, id)) === null;
