import { sql } from '../../database/sql.ts';
import { type Change, type GuardHold, type GuardPolicy, guardTrips } from '../../submission/guard.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ledger } from '../open-ledger.ts';
import { countGuardPassed, countUnguardedNew } from '../plans/due.ts';
import type { PlanInput } from '../plans/make-plan.ts';
import { previewRun } from '../plans/preview-runs.ts';
import { countGoneSinceLastRun } from './gone-since-last-run.ts';
import { getRun } from './runs.ts';

const EXAMPLES = 5;

/**
 * Whether the change is plausible; if not, the run is held and nothing of it is planned until a person approves. Every
 * new URL that no guard has let pass counts, also one that an earlier run found: a rejected relaunch does not slip in
 * with the next night. A first run that adopts is not judged, because it buys nothing. Judged once; a retry reads it.
 */
export async function judgeRun(
  ledger: Ledger,
  run: RunId,
  guard: GuardPolicy,
  { input }: { input?: PlanInput } = {},
): Promise<GuardHold | null> {
  const row = await getRun(ledger.db, run);
  if (row.held !== null) return row.decision === 'approved' ? null : (JSON.parse(row.held) as GuardHold);
  if (row.planned_at !== null || row.ended_at !== null) return null;
  const plan = input === undefined ? null : await previewRun(ledger, run, input);
  const gone = await countGoneSinceLastRun(ledger.db, row.name);
  const newUrls = await countUnguardedNew(ledger.db, row.watch_id, ledger.now());
  const change: Change = {
    newUrls,
    gone,
    // Also when an earlier run found them: new URLs must not count among those that they are measured against.
    knownBefore: row.first_run === 1 ? 0 : Math.max(0, (row.found ?? 0) - newUrls) + gone,
  };
  const trips = guardTrips(change, guard).map(({ message }) => message);
  // What a person has let pass and a cap spreads over the nights does not ask again: only what is new to the cap does.
  const passed = await countGuardPassed(ledger.db, row.watch_id, ledger.now());
  if (plan !== null && plan.held > passed && plan.heldReason !== null) trips.push(plan.heldReason);
  if (trips.length === 0) return null;
  const held: GuardHold = { reasons: trips, sample: await listSample(ledger, row.watch_id, row.id) };
  await ledger.db.run(sql`
    UPDATE runs SET held = ${JSON.stringify(held)} WHERE id = ${row.id} AND held IS NULL`);
  return held;
}

async function listSample(ledger: Ledger, watchId: number, runId: number): Promise<Url[]> {
  const fresh = await ledger.db.all(sql<{ url: Url }>`
    SELECT url FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL AND guard_passed = 0 AND gone_run IS NULL
    ORDER BY id LIMIT ${EXAMPLES}`);
  const gone = await ledger.db.all(sql<{ url: Url }>`
    SELECT url FROM urls WHERE gone_run = ${runId} LIMIT ${EXAMPLES - Math.min(fresh.length, EXAMPLES - 1)}`);
  return [...fresh, ...gone].slice(0, EXAMPLES).map(({ url }) => url);
}
