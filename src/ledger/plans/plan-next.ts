import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import { timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { CapRefusal } from '../../submission/caps.ts';
import { isSameReason, type StoredReason, toStoredReason } from '../../submission/reason.ts';
import { insertBatch } from '../batches/insert-batch.ts';
import { countAtPrices } from '../journal/prices.ts';
import { getPrice, type Price } from '../money/price.ts';
import {
  addCounts,
  DUE_PAGE,
  type DueCounts,
  type DueRow,
  NO_COUNTS,
  readDuePage,
  selectDueRows,
} from '../pages/due.ts';
import { getRun, type RunRow } from '../runs/runs.ts';
import { getAllowance, type PlanInput } from './allowance.ts';
import { recordPlanEnd, recordPlannedBatch } from './read-plan.ts';
import { writeDecisions } from './resubmission.ts';
import { createDecide, type DecidedRow } from './survey-due.ts';

/** Due URLs that one transaction decides on at most, where few of them are bought: it takes a few tenths of a second. */
const ROWS_AT_ONCE = 20_000;

/** Where a plan stands between two of its transactions. */
export interface PlanPosition {
  /** Up to this URL everything is decided. */
  readonly after: string;
  /** URLs up to there that wait until their batch is full. Nothing of that is written. */
  readonly waiting: readonly number[];
  /** How many of the URLs that a run found first may still be bought. Null: all of them. */
  readonly places: ReadonlyMap<number, number> | null;
  /** Why the others are held. */
  readonly refusal: CapRefusal | null;
  /** What is held so far. */
  readonly held: DueCounts;
}

export const PLAN_START: PlanPosition = { after: '', waiting: [], places: null, refusal: null, held: NO_COUNTS };

/**
 * Decides on the due URLs that follow, in one transaction that takes a few tenths of a second: plans the next batch, as far
 * as the caps allow it now, and holds what they do not allow. Returns where the plan goes on, or that all is planned.
 * Which URLs share a batch depends on the due URLs alone: they are taken in the order of the URLs, never in the order in
 * which sitemaps answered, so the same due URLs make the same bytes and keys in a restored copy of the ledger.
 */
export async function planNext(
  tx: Queryable,
  now: number,
  run: RunRow,
  input: PlanInput,
  position: PlanPosition,
): Promise<PlanPosition | 'planned'> {
  const { batch, rest, places, after, isLast } = await readNext(tx, now, run, input, position);
  const isFull = batch.length === LIMITS.submissionUrls;
  const bought = isFull || isLast ? await planBatch(tx, now, run, input, batch) : null;
  const over = bought === null ? [] : batch.slice(bought.urls);
  const refusal = bought?.refusal ?? position.refusal;
  const reason = toStoredReason(refusal?.stored ?? null);
  // What exceeds a decision is for the next one; what a cap spreads over several runs was let pass.
  const isPassed = refusal?.reason.code !== 'beyond_decision';
  if (refusal !== null) await holdUrls(tx, [...rest, ...over], { reason, isPassed });
  const held = addCounts(position.held, countByReason([...rest, ...over]));
  if (isLast) {
    const price = bought?.price ?? (await readPrice(tx, input));
    const planned = await getRun(tx, run.name);
    await recordPlanEnd(tx, now, planned, { price, held: { due: held, reason }, maxCost: input.maxCost ?? null });
    return 'planned';
  }
  return {
    after,
    waiting: bought === null ? batch.map(({ id }) => id) : [],
    // Somebody else has spent what the survey counted on: the rest is held.
    places: bought !== null && bought.refusal !== null ? new Map() : places,
    refusal,
    held,
  };
}

interface NextRows {
  /** To be bought: a whole batch, or as many as there are so far. */
  readonly batch: DueRow[];
  /** Due, and not allowed. */
  readonly rest: readonly DueRow[];
  readonly places: ReadonlyMap<number, number> | null;
  readonly after: string;
  readonly isLast: boolean;
}

/** Reads until a batch is full, everything is read, or enough was read; and records what the rules decided. */
async function readNext(
  tx: Queryable,
  now: number,
  run: RunRow,
  { watch, only }: PlanInput,
  position: PlanPosition,
): Promise<NextRows> {
  const decide = await createDecide(tx, run.watch_id, watch, now);
  const places = position.places === null ? null : new Map(position.places);
  const waiting = position.waiting.length === 0 ? [] : await tx.all(selectDueRows(position.waiting));
  const batch = (await decide(waiting)).filter(isDue).map(({ row }) => row);
  const rest: DueRow[] = [];
  let { after } = position;
  let isLast = false;
  for (let read = 0; read < ROWS_AT_ONCE && batch.length < LIMITS.submissionUrls && !isLast; ) {
    const page = await readDuePage(tx, run.watch_id, after);
    const decided: DecidedRow[] = [];
    for (const each of await decide(page)) {
      decided.push(each);
      after = each.row.url;
      if (!isDue(each) || (only !== undefined && each.row.url !== only)) continue;
      if (!takePlace(places, each.row)) rest.push(each.row);
      else if (batch.push(each.row) === LIMITS.submissionUrls) break;
    }
    await writeDecisions(tx, decided);
    read += decided.length;
    isLast = page.length < DUE_PAGE && decided.length === page.length;
    await yieldToEventLoop();
  }
  return { batch, rest, places, after, isLast };
}

const isDue = ({ decision }: DecidedRow): boolean => decision.kind === 'due';

function takePlace(places: Map<number, number> | null, { first_run }: DueRow): boolean {
  if (places === null) return true;
  const left = places.get(first_run) ?? 0;
  if (left === 0) return false;
  places.set(first_run, left - 1);
  return true;
}

interface Bought {
  /** How many of them, from the first. */
  readonly urls: number;
  readonly price: Price;
  readonly refusal: CapRefusal | null;
}

/**
 * Freezes these URLs into a batch with its key. The caps are asked again: since the plan began, another plan of the account
 * may have spent what they allow, or the price may have risen.
 */
async function planBatch(
  tx: Queryable,
  now: number,
  run: RunRow,
  input: PlanInput,
  due: readonly DueRow[],
): Promise<Bought | null> {
  if (due.length === 0) return null;
  const { account, watch } = input;
  await countAtPrices(tx, account.id, account.pricePerUrl, now);
  const { price, urls, refusal } = await getAllowance(tx, now, run, input, due.length);
  const bought = due.slice(0, urls);
  if (bought.length > 0) {
    const cost = price.perUrl === null ? null : timesMicros(price.perUrl, bought.length);
    await insertBatch(tx, now, {
      plannedAt: now,
      account: account.id,
      baseUrl: account.baseUrl,
      watch: watch.id,
      watchId: run.watch_id,
      runId: run.id,
      parentId: null,
      service: watch.service,
      project: watch.project,
      urls: bought.map(({ id, url, generation, due }) => ({ id, url, due, generation: generation + 1 })),
      expectedCost: cost,
      basis: price.basis,
    });
    await recordPlannedBatch(tx, now, run, { cost, due: countByReason(bought), maxCost: input.maxCost ?? null });
  }
  return { urls, price, refusal };
}

const readPrice = (tx: Queryable, { account, watch }: PlanInput): Promise<Price> =>
  getPrice(tx, account.id, watch.service, account.pricePerUrl[watch.service]);

function countByReason(rows: readonly DueRow[]): DueCounts {
  const counts = { ...NO_COUNTS };
  for (const { due } of rows) counts[due] += 1;
  return counts;
}

/** They stay due, and are planned when the reason is gone. Rows that say so already are not written again. */
async function holdUrls(
  tx: Queryable,
  urls: readonly DueRow[],
  { reason, isPassed }: { readonly reason: StoredReason; readonly isPassed: boolean },
): Promise<void> {
  const passed = isPassed ? sql`1` : sql`guard_passed`;
  const rows = urls
    .filter((row) => row.state !== 'held' || !isSameReason(row, reason) || (isPassed && row.guard_passed === 0))
    .map(({ id }): Row => [id]);
  for (let from = 0; from < rows.length; from += DUE_PAGE) {
    await tx.run(sql`
      UPDATE urls SET state = 'held', guard_passed = ${passed}, reason_code = ${reason.reason_code},
        reason_params = ${reason.reason_params}
      WHERE id IN (SELECT id FROM ${toRows({ id: 'bigint' }, rows.slice(from, from + DUE_PAGE))} AS r)`);
    await yieldToEventLoop();
  }
}
