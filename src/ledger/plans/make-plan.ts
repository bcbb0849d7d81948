import { createHash } from 'node:crypto';
import { LIMITS } from '../../../contract/limits.ts';
import { type Micros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { urlsAllowed } from '../../submission/caps.ts';
import type { RunId } from '../../submission/ids.ts';
import { insertBatch } from '../batches/insert-batch.ts';
import { LedgerError } from '../ledger-error.ts';
import { getPrice } from '../money/price.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, PriceBasis, WatchPolicy } from '../policy.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import { lockAccount } from '../runs/watches.ts';
import { applyPolicy, countDue, type DueCounts, holdAfter, listDueAfter } from './due.ts';

export interface PlanInput {
  readonly account: AccountPolicy;
  readonly watch: WatchPolicy;
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros | null;
}

/** What is bought, for how much, and what is not. */
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

/** Freezes what is due into batches with their keys, as far as the caps allow; the rest is held with the reason. */
export async function makePlan(tx: Queryable, now: number, run: RunRow, input: PlanInput): Promise<Plan> {
  const { account, watch } = input;
  await applyPolicy(tx, run.watch_id, watch, now);
  const due = await countDue(tx, run.watch_id, now);
  const wanted = Object.values(due).reduce((total, part) => total + part, 0);
  const price = await getPrice(tx, account.id, watch.service, account.pricePerUrl[watch.service]);
  const perRun = min(watch.spend.perRun, input.maxCost ?? null);
  const caps = { ...watch.spend, perRun };
  const question = await buildSpendQuestion(
    tx,
    account,
    caps,
    { watchId: run.watch_id, runId: run.id },
    { count: 'all' },
    now,
  );
  const { urls: allowed, refusal } = urlsAllowed(question, price.perUrl, wanted);

  const hash = createHash('sha256');
  let planned = 0;
  let batches = 0;
  let last = 0;
  while (planned < allowed) {
    const limit = Math.min(LIMITS.submissionUrls, allowed - planned);
    const urls = await listDueAfter(tx, run.watch_id, { after: last, limit, now });
    if (urls.length === 0) break;
    const { key } = await insertBatch(tx, now, {
      account: account.id,
      baseUrl: account.baseUrl,
      watch: watch.id,
      watchId: run.watch_id,
      runId: run.id,
      parentId: null,
      service: watch.service,
      project: watch.project,
      urls: urls.map(({ id, url, generation }) => ({ id, url, generation: generation + 1 })),
      expectedCost: price.perUrl === null ? null : timesMicros(price.perUrl, urls.length),
      basis: price.basis,
    });
    hash.update(key);
    planned += urls.length;
    batches += 1;
    last = urls.at(-1)!.id;
  }
  const heldReason = refusal?.message ?? null;
  const held = heldReason === null ? 0 : await holdAfter(tx, run.watch_id, { after: last, now, reason: heldReason });
  const cost = price.perUrl === null ? (planned === 0 ? ZERO : null) : timesMicros(price.perUrl, planned);
  hash.update(`|${run.name}|${cost}|${held}`);
  await tx.run(sql`
    UPDATE runs SET planned_at = ${now}, touched_at = ${now}, planned_urls = ${planned}, planned_batches = ${batches},
      planned_cost = ${cost}, price_basis = ${price.basis}, price_per_url = ${price.perUrl}, held_urls = ${held},
      held_reason = ${heldReason}, plan_due = ${JSON.stringify(due)}, plan_digest = ${hash.copy().digest('hex')}
    WHERE id = ${run.id}`);
  return readPlan(tx, run);
}

/** The plan of a run that was planned. */
export async function readPlan(db: Queryable, run: RunRow): Promise<Plan> {
  const row = await db.one(sql<PlanColumns>`
    SELECT planned_urls, planned_batches, planned_cost, price_basis, price_per_url, held_urls, held_reason, plan_due,
      plan_digest
    FROM runs WHERE id = ${run.id}`);
  return {
    batches: row.planned_batches,
    urls: row.planned_urls,
    cost: row.planned_cost,
    basis: row.price_basis,
    perUrl: row.price_per_url,
    held: row.held_urls,
    heldReason: row.held_reason,
    due: JSON.parse(row.plan_due) as DueCounts,
    digest: row.plan_digest,
  };
}

interface PlanColumns {
  readonly planned_urls: number;
  readonly planned_batches: number;
  readonly planned_cost: Micros | null;
  readonly price_basis: PriceBasis;
  readonly price_per_url: Micros | null;
  readonly held_urls: number;
  readonly held_reason: string | null;
  readonly plan_due: string;
  readonly plan_digest: string;
}

const min = (a: Micros | null, b: Micros | null): Micros | null => (a === null ? b : b === null ? a : a < b ? a : b);
