import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { CapRefusal, Spent } from '../../submission/caps.ts';
import type { AccountId } from '../../submission/ids.ts';

/** Days and months are those of UTC, for every account alike. */
export function getDayStart(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000;
}

export function getMonthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** When a refused spend may be asked for again; null when only a person, or money, changes the answer. */
export function getRefusalEnd(refusal: CapRefusal, now: number): number | null {
  if (refusal.cap.endsWith('per day')) return getDayStart(now) + 86_400_000;
  if (!refusal.cap.endsWith('per month')) return null;
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

export interface SpentFor {
  readonly account: AccountId;
  readonly watchId: number;
  /** Null where no run is meant: its sum is 0. */
  readonly runId: number | null;
}

/**
 * What counts against the caps. `promised` is what has been planned and not been charged yet: a plan reckons with all
 * of it, a batch about to be sent only with what is on its way already (what waits behind it is asked when it is sent).
 */
export interface CommitmentScope {
  readonly count: 'all' | 'on their way';
  /** Left out: the batch that asks. */
  readonly except?: { readonly kind: 'batch' | 'check'; readonly id: number };
  /** What a URL counts for whose charge nobody told and no price was known for then; null counts as nothing. */
  readonly unknownChargePrice?: Micros | null;
}

export interface SpentSums {
  readonly watch: Spent;
  readonly account: Omit<Spent, 'run'>;
  /** Promised by the account beyond what is charged: not yet gone from the balance. */
  readonly committed: Micros;
}

/** What a watch has spent and promised on index-checks today. */
export async function sumChecksToday(
  db: Queryable,
  watchId: number,
  exceptCheck: number,
  now: number,
): Promise<Micros> {
  const row = await db.get(sql<{ amount: number }>`
    SELECT coalesce(sum(amount), 0) + (
      SELECT coalesce(sum(expected_cost), 0) FROM checks
      WHERE watch_id = ${watchId} AND state IN ('planned', 'sending') AND id <> ${exceptCheck}) AS amount
    FROM charges WHERE watch_id = ${watchId} AND kind = 'check' AND at >= ${getDayStart(now)}`);
  return micros(row!.amount);
}

/** What was charged and is promised, in micro-lira. Uses charges_by_account, batches_waiting and checks_open. */
export async function sumSpend(
  db: Queryable,
  { account, watchId, runId }: SpentFor,
  promises: CommitmentScope,
  now: number,
): Promise<SpentSums> {
  const day = getDayStart(now);
  const month = getMonthStart(now);
  const untold = promises.unknownChargePrice ?? 0;
  const charged = await db.get(sql<Record<'day' | 'month' | 'watch_day' | 'watch_month', number>>`
    SELECT coalesce(sum(CASE WHEN at >= ${day} THEN counted ELSE 0 END), 0) AS day,
      coalesce(sum(counted), 0) AS month,
      coalesce(sum(CASE WHEN at >= ${day} AND watch_id = ${watchId} THEN counted ELSE 0 END), 0) AS watch_day,
      coalesce(sum(CASE WHEN watch_id = ${watchId} THEN counted ELSE 0 END), 0) AS watch_month
    FROM (
      SELECT at, watch_id, CASE WHEN reported = 0 AND amount = 0 THEN urls * CAST(${untold} AS BIGINT) ELSE amount END AS counted
      FROM charges WHERE account_id = ${account} AND at >= ${month}) AS this_month`);
  const ofRun = await db.get(sql<{ amount: number }>`
    SELECT coalesce(sum(CASE WHEN reported = 0 AND amount = 0 THEN urls * CAST(${untold} AS BIGINT) ELSE amount END), 0) AS amount
    FROM charges WHERE run_id = ${runId} AND kind = 'batch'`);
  const exceptBatch = promises.except?.kind === 'batch' ? promises.except.id : 0;
  const exceptCheck = promises.except?.kind === 'check' ? promises.except.id : 0;
  const planned = promises.count === 'all' ? 1 : 0;
  const promised = await db.get(sql<Record<'account' | 'watch' | 'run', number>>`
    SELECT coalesce(sum(cost), 0) AS account,
      coalesce(sum(CASE WHEN watch_id = ${watchId} THEN cost ELSE 0 END), 0) AS watch,
      coalesce(sum(CASE WHEN run_id = ${runId} THEN cost ELSE 0 END), 0) AS run
    FROM (
      SELECT watch_id, run_id, coalesce(expected_cost, 0) AS cost FROM batches
      WHERE account_id = ${account} AND state IN ('planned', 'sending')
        AND (${planned} = 1 OR state = 'sending') AND id <> ${exceptBatch}
      UNION ALL
      SELECT watch_id, NULL AS run_id, expected_cost AS cost FROM checks
      WHERE account_id = ${account} AND state IN ('planned', 'sending')
        AND (${planned} = 1 OR state = 'sending') AND id <> ${exceptCheck}
    ) AS promises`);
  const sum = (...parts: number[]): Micros => micros(parts.reduce((total, part) => total + part, 0));
  return {
    watch: {
      run: sum(ofRun!.amount, promised!.run),
      day: sum(charged!.watch_day, promised!.watch),
      month: sum(charged!.watch_month, promised!.watch),
    },
    account: { day: sum(charged!.day, promised!.account), month: sum(charged!.month, promised!.account) },
    committed: micros(promised!.account),
  };
}
