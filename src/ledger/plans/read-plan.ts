import { createHash } from 'node:crypto';
import { type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Price } from '../money/price.ts';
import { addCounts, type DueCounts, NO_COUNTS } from '../pages/due.ts';
import type { PriceBasis } from '../policy.ts';
import type { RunRow } from '../runs/runs.ts';

/** What a run buys, its cost, and what is held. */
export interface Plan {
  readonly batches: number;
  readonly urls: number;
  /** Null when no price is known; see `basis`. */
  readonly cost: Micros | null;
  readonly basis: PriceBasis;
  readonly perUrl: Micros | null;
  /** URLs that are due and not allowed now; they are planned by a later run. */
  readonly held: number;
  readonly heldReason: string | null;
  readonly due: DueCounts;
  /** Names exactly this plan: these bytes at this price. */
  readonly digest: string;
}

/** What a run has planned so far. */
export interface PlanProgress {
  readonly urls: number;
  readonly batches: number;
  /** Null when a batch was planned without a price. */
  readonly cost: Micros | null;
  readonly due: DueCounts;
}

/** Kept in the run with each batch: a plan that was interrupted goes on from there. */
export const readProgress = (run: RunRow): PlanProgress => ({
  urls: run.planned_urls ?? 0,
  batches: run.planned_batches ?? 0,
  cost: (run.planned_batches ?? 0) === 0 ? ZERO : run.planned_cost,
  due: run.plan_due === null ? NO_COUNTS : (JSON.parse(run.plan_due) as DueCounts),
});

/** Records a batch in the plan of its run. `beginSend` reads the cap of the run, so it is there with the first batch. */
export async function recordPlannedBatch(
  tx: Queryable,
  now: number,
  run: RunRow,
  { cost, due, maxCost }: { readonly cost: Micros | null; readonly due: DueCounts; readonly maxCost: Micros | null },
): Promise<void> {
  const before = readProgress(run);
  const urls = Object.values(due).reduce((sum, each) => sum + each, 0);
  const sum = before.cost === null || cost === null ? null : sumMicros(before.cost, cost);
  await tx.run(sql`
    UPDATE runs SET touched_at = ${now}, planned_urls = ${before.urls + urls}, planned_batches = ${before.batches + 1},
      planned_cost = ${sum}, plan_due = ${JSON.stringify(addCounts(before.due, due))}, max_cost = ${maxCost}
    WHERE id = ${run.id}`);
}

/** What a finished plan holds back. */
export interface HeldBack {
  readonly due: DueCounts;
  readonly reason: StoredReason;
}

/** Ends the plan: from now on the run is planned, and nothing is added. */
export async function recordPlanEnd(
  tx: Queryable,
  now: number,
  run: RunRow,
  { price, held, maxCost }: { readonly price: Price; readonly held: HeldBack; readonly maxCost: Micros | null },
): Promise<void> {
  const { urls, batches, cost, due } = readProgress(run);
  const heldUrls = Object.values(held.due).reduce((sum, each) => sum + each, 0);
  const hash = createHash('sha256');
  for (const { key } of await tx.all(selectPlannedKeys(run.id))) hash.update(key);
  hash.update(`|${run.name}|${cost}|${heldUrls}`);
  await tx.run(sql`
    UPDATE runs SET planned_at = ${now}, touched_at = ${now}, planned_urls = ${urls}, planned_batches = ${batches},
      planned_cost = ${cost}, price_basis = ${cost === null ? 'unknown' : price.basis},
      price_per_url = ${cost === null ? null : price.perUrl}, held_urls = ${heldUrls},
      held_reason_code = ${held.reason.reason_code}, held_reason_params = ${held.reason.reason_params},
      max_cost = ${maxCost}, plan_due = ${JSON.stringify(addCounts(due, held.due))}, plan_digest = ${hash.digest('hex')}
    WHERE id = ${run.id}`);
}

/** The keys of the batches that a run planned, without the parts of refused ones. Uses batches_by_run. */
const selectPlannedKeys = (run: number) => sql<{ readonly key: string }>`
  SELECT idempotency_key AS key FROM batches WHERE run_id = ${run} AND parent_id IS NULL ORDER BY id`;

/** The plan of a run that was planned. */
export async function readPlan(db: Queryable, run: Pick<RunRow, 'id'>): Promise<Plan> {
  const row = await db.one(sql<PlanColumns>`
    SELECT planned_urls, planned_batches, planned_cost, price_basis, price_per_url, held_urls, held_reason_code AS reason_code,
      held_reason_params AS reason_params, plan_due, plan_digest
    FROM runs WHERE id = ${run.id}`);
  return {
    batches: row.planned_batches,
    urls: row.planned_urls,
    cost: row.planned_cost,
    basis: row.price_basis,
    perUrl: row.price_per_url,
    held: row.held_urls,
    heldReason: renderStoredReason(row),
    due: JSON.parse(row.plan_due) as DueCounts,
    digest: row.plan_digest,
  };
}

interface PlanColumns extends StoredReason {
  readonly planned_urls: number;
  readonly planned_batches: number;
  readonly planned_cost: Micros | null;
  readonly price_basis: PriceBasis;
  readonly price_per_url: Micros | null;
  readonly held_urls: number;
  readonly plan_due: string;
  readonly plan_digest: string;
}
