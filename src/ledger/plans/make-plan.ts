import { createHash } from 'node:crypto';
import { LIMITS } from '../../../contract/limits.ts';
import { type Micros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, lowerCap, urlsAllowed } from '../../submission/caps.ts';
import type { RunId } from '../../submission/ids.ts';
import { isSameReason, renderStoredReason, type StoredReason, toStoredReason } from '../../submission/reason.ts';
import { insertBatch } from '../batches/insert-batch.ts';
import { takeBackMoved } from '../batches/take-back-moved.ts';
import { LedgerError } from '../ledger-error.ts';
import { requireSameService } from '../money/account.ts';
import { getPrice, type Price } from '../money/price.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, PriceBasis, WatchPolicy } from '../policy.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import { lockAccount } from '../runs/watches.ts';
import { countDue, type DueCounts, type DueRow } from './due.ts';
import { writeDecisions } from './resubmission.ts';
import { type DecidedRow, eachDecidedPage, startSurvey, surveyDue } from './survey-due.ts';

export interface PlanInput {
  readonly account: AccountPolicy;
  readonly watch: WatchPolicy;
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros | null;
}

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

/**
 * Plans what is due, in one transaction: each URL's generation grows by one, and each batch has its exact bytes and its
 * key before anything is sent. The same run planned twice is planned once. What the watch has planned under an account
 * that it has left is taken back before.
 */
export async function planRun(ledger: Ledger, run: RunId, input: PlanInput): Promise<Plan> {
  await takeBackMoved(ledger, input.watch.id, input.account.id);
  const plan = async (tx: Queryable): Promise<Plan> => {
    await lockAccount(tx, input.account.id);
    const row = await getPlannableRun(tx, run);
    return row.planned_at === null ? makePlan(tx, ledger.now(), row, input) : readPlan(tx, row);
  };
  return ledger.db.tx(plan, { bulk: true });
}

/** A run that may be planned: open, or ended as a preview; and not held without approval. */
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
      `Run "${run}" ${row.decision === 'rejected' ? `was rejected by ${row.decided_by}` : 'waits for approval'}. ` +
        'Nothing was planned or bought.',
    );
  }
  return row;
}

/**
 * How many of the due URLs the caps, the floor and the price allow a run to buy, and what stops the next one. A guard
 * asks it before the plan is made.
 */
export async function getAllowance(
  tx: Queryable,
  now: number,
  run: Pick<RunRow, 'id' | 'watch_id'>,
  { account, watch, maxCost = null }: PlanInput,
  wanted: number,
): Promise<{ readonly price: Price; readonly urls: number; readonly refusal: CapRefusal | null }> {
  const price = await getPrice(tx, account.id, watch.service, account.pricePerUrl[watch.service]);
  const caps = { ...watch.spend, perRun: lowerCap(watch.spend.perRun, maxCost) };
  const spender = { watchId: run.watch_id, runId: run.id };
  const question = await buildSpendQuestion(tx, account, caps, spender, { count: 'all' }, now);
  return { price, ...urlsAllowed(question, price.perUrl, wanted) };
}

/**
 * Freezes what is due into batches with their keys, as far as the caps allow; the rest is held with the reason. Which
 * URLs share a batch depends on the due URLs alone: they are taken in the order of the URLs, never in the order in which
 * sitemaps answered, so the same due URLs make the same bytes and keys in a restored copy of the ledger.
 */
export async function makePlan(tx: Queryable, now: number, run: RunRow, input: PlanInput): Promise<Plan> {
  const { account, watch } = input;
  await requireSameService(tx, account);
  const { price, refusal, select, due } = await askCaps(tx, now, run, input);
  const heldReason = toStoredReason(refusal?.stored ?? null);
  const hash = createHash('sha256');
  let planned = 0;
  let batches = 0;
  let held = 0;

  async function addBatch(urls: readonly DueRow[]): Promise<void> {
    const { key } = await insertBatch(tx, now, {
      account: account.id,
      baseUrl: account.baseUrl,
      watch: watch.id,
      watchId: run.watch_id,
      runId: run.id,
      parentId: null,
      service: watch.service,
      project: watch.project,
      urls: urls.map(({ id, url, generation, due }) => ({ id, url, due, generation: generation + 1 })),
      expectedCost: price.perUrl === null ? null : timesMicros(price.perUrl, urls.length),
      basis: price.basis,
    });
    hash.update(key);
    planned += urls.length;
    batches += 1;
  }

  let next: DueRow[] = [];
  for await (const page of eachDecidedPage(tx, run.watch_id, watch, now)) {
    await due.page(page);
    const rest: DueRow[] = [];
    for (const { row, decision } of page) {
      if (decision.kind !== 'due') continue;
      if (!select(row)) rest.push(row);
      else if (next.push(row) === LIMITS.submissionUrls) {
        await addBatch(next);
        next = [];
      }
    }
    if (refusal !== null) await holdUrls(tx, rest, heldReason);
    held += rest.length;
  }
  if (next.length > 0) await addBatch(next);

  const cost = price.perUrl === null ? (planned === 0 ? ZERO : null) : timesMicros(price.perUrl, planned);
  hash.update(`|${run.name}|${cost}|${held}`);
  await tx.run(sql`
    UPDATE runs SET planned_at = ${now}, touched_at = ${now}, planned_urls = ${planned}, planned_batches = ${batches},
      planned_cost = ${cost}, price_basis = ${price.basis}, price_per_url = ${price.perUrl}, held_urls = ${held},
      held_reason_code = ${heldReason.reason_code}, held_reason_params = ${heldReason.reason_params},
      max_cost = ${input.maxCost ?? null}, plan_due = ${JSON.stringify(due.counts())},
      plan_digest = ${hash.copy().digest('hex')}
    WHERE id = ${run.id}`);
  return readPlan(tx, run);
}

interface Allowed {
  readonly price: Price;
  readonly refusal: CapRefusal | null;
  readonly select: (row: DueRow) => boolean;
  readonly due: {
    /** For each page that is planned. */
    page(page: readonly DecidedRow[]): Promise<void>;
    counts(): DueCounts;
  };
}

/**
 * What the caps allow of what is due, and records what the rules decided. Where they allow even all URLs that have a reason,
 * whatever the rules say of them, one pass over a million due rows is enough: each page is counted when it is planned.
 */
async function askCaps(tx: Queryable, now: number, run: RunRow, input: PlanInput): Promise<Allowed> {
  const { watch } = input;
  const all = await getAllowance(tx, now, run, input, await countDue(tx, run.watch_id));
  if (all.refusal === null) {
    const { add, survey } = startSurvey();
    const page = async (decided: readonly DecidedRow[]) => {
      await writeDecisions(tx, decided);
      add(decided);
    };
    return { price: all.price, refusal: null, select: () => true, due: { page, counts: () => survey().counts } };
  }
  const { total, byFirstRun, counts } = await surveyDue(tx, run.watch_id, watch, now, { write: true });
  const { price, urls, refusal } = await getAllowance(tx, now, run, input, total);
  return {
    price,
    refusal,
    select: selectOldest(byFirstRun, urls),
    due: { page: async () => undefined, counts: () => counts },
  };
}

/** Selects so many URLs, those first that the earliest runs found: what a cap holds today goes before what comes later. */
function selectOldest(byFirstRun: ReadonlyMap<number, number>, allowed: number): (row: DueRow) => boolean {
  const left = new Map<number, number>();
  let room = allowed;
  for (const [run, urls] of [...byFirstRun].sort(([a], [b]) => a - b)) {
    left.set(run, Math.min(urls, room));
    room -= Math.min(urls, room);
  }
  return ({ first_run }) => {
    const places = left.get(first_run) ?? 0;
    if (places === 0) return false;
    left.set(first_run, places - 1);
    return true;
  };
}

/** They stay due, and are planned when the reason is gone. Rows that say so already are not written again. */
async function holdUrls(tx: Queryable, urls: readonly DueRow[], reason: StoredReason): Promise<void> {
  const rows = urls
    .filter((row) => row.state !== 'held' || !isSameReason(row, reason) || row.guard_passed === 0)
    .map(({ id }): Row => [id]);
  if (rows.length === 0) return;
  await tx.run(sql`
    UPDATE urls SET state = 'held', guard_passed = 1, reason_code = ${reason.reason_code}, reason_params = ${reason.reason_params}
    WHERE id IN (SELECT id FROM ${toRows({ id: 'bigint' }, rows)} AS r)`);
}

/** The plan of a run that was planned. */
export async function readPlan(db: Queryable, run: RunRow): Promise<Plan> {
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
