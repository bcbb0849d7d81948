import { type Micros, micros, sumMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { CapRefusal, Spent } from '../../submission/caps.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { PriceByService } from '../policy.ts';

/** Days and months are in UTC, for every account. */
export function getDayStart(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000;
}

export function getMonthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** When to try a refused spend again; null when only an operator or a higher balance can change the result. */
export function getRefusalEnd({ reason }: CapRefusal, now: number): number | null {
  if (reason.code !== 'cap_reached') return null;
  switch (reason.period) {
    case 'run':
      return null;
    case 'day':
      return getDayStart(now) + 86_400_000;
    case 'month': {
      const date = new Date(now);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
  }
}

export interface SpentFor {
  readonly account: AccountId;
  readonly watchId: number;
  /** Null where no run is meant: its sum is 0. */
  readonly runId: number | null;
}

/**
 * What counts against the caps besides charges: whatever may have been charged, until it is known not to have been. A
 * batch in flight, in doubt or waiting for review with a doubt always counts. A plan also counts what is planned; a
 * batch about to be sent does not, because what waits behind it is asked when its turn comes.
 */
export interface CommitmentScope {
  readonly count: 'all' | 'on their way';
  /** Left out: the batch or check that asks. */
  readonly except?: { readonly kind: 'batch' | 'check'; readonly id: number };
}

/** The periods that have a cap. The month holds the others; one that nothing asks for is not read. */
export interface CappedPeriods {
  readonly run: boolean;
  readonly day: boolean;
  readonly month: boolean;
}

/** Amounts of periods without a cap may be too low. */
export interface SpentSums {
  readonly watch: Spent;
  readonly account: Omit<Spent, 'run'>;
  /** Committed by the account beyond what is charged: not yet gone from the balance. */
  readonly committed: Micros;
}

/** What a watch has spent and committed on index-checks today. */
export async function sumChecksToday(
  db: Queryable,
  watchId: number,
  exceptCheck: number,
  now: number,
): Promise<Micros> {
  const row = await db.one(sql<{ amount: number }>`
    SELECT coalesce(sum(amount), 0) + (
      SELECT coalesce(sum(expected_cost), 0) FROM checks
      WHERE watch_id = ${watchId} AND state IN ('planned', 'sending') AND id <> ${exceptCheck}) AS amount
    FROM charges WHERE watch_id = ${watchId} AND kind = 'check' AND at >= ${getDayStart(now)}`);
  return micros(row.amount);
}

/**
 * Charges as the caps count them: the higher of what was charged and what the configured price says, so that a charge
 * that was misread, or that the service did not report, never leaves room for another.
 */
export const countedCharges = (account: AccountId, prices: PriceByService) => sql`
  SELECT c.at, c.watch_id, c.run_id, c.kind,
    CASE WHEN c.kind = 'batch' AND c.amount < c.urls * ${configuredPrice(prices)}
      THEN c.urls * ${configuredPrice(prices)} ELSE c.amount END AS counted
  FROM charges AS c LEFT JOIN batches AS b ON c.kind = 'batch' AND b.id = c.of_id
  WHERE c.account_id = ${account}`;

const configuredPrice = ({ standard, fast }: PriceByService) => sql`
  CASE b.service WHEN 'fast' THEN CAST(${fast ?? 0} AS BIGINT) ELSE CAST(${standard ?? 0} AS BIGINT) END`;

/** A commitment's cost: as planned, or at a price that has risen since. */
const committedCost = (prices: PriceByService) => sql`
  CASE WHEN coalesce(b.expected_cost, 0) < b.urls * coalesce(p.price, 0) AND ${configuredPrice(prices)} < coalesce(p.price, 0)
      THEN b.urls * p.price
    WHEN coalesce(b.expected_cost, 0) < b.urls * ${configuredPrice(prices)} THEN b.urls * ${configuredPrice(prices)}
    ELSE coalesce(b.expected_cost, 0) END`;

/**
 * Batches that may be charged and are not on record as charged. Uses batches_waiting and batches_in_doubt.
 */
export const committedBatches = (account: AccountId, prices: PriceByService, { count, except }: CommitmentScope) => sql`
  SELECT b.watch_id, b.run_id, ${committedCost(prices)} AS cost
  FROM batches AS b LEFT JOIN prices AS p ON p.account_id = b.account_id AND p.service = b.service
  WHERE b.account_id = ${account} AND b.state IN ('planned', 'sending')
    AND (${count === 'all' ? 1 : 0} = 1 OR b.state = 'sending')
    AND b.id <> ${except?.kind === 'batch' ? except.id : 0}
  UNION ALL
  SELECT b.watch_id, b.run_id, ${committedCost(prices)} AS cost
  FROM batches AS b LEFT JOIN prices AS p ON p.account_id = b.account_id AND p.service = b.service
  WHERE b.account_id = ${account} AND b.state = 'needs_review' AND b.in_doubt_since IS NOT NULL
    AND b.id <> ${except?.kind === 'batch' ? except.id : 0}`;

/** Index-checks that may be charged and are not on record as charged. Uses checks_open. */
const committedChecks = (account: AccountId, { count, except }: CommitmentScope) => sql`
  SELECT watch_id, CAST(NULL AS BIGINT) AS run_id, expected_cost AS cost FROM checks
  WHERE account_id = ${account} AND state IN ('planned', 'sending')
    AND (${count === 'all' ? 1 : 0} = 1 OR state = 'sending')
    AND id <> ${except?.kind === 'check' ? except.id : 0}`;

/**
 * What was charged and is committed. A key at full speed has 432,000 charges in a month: those are read only where a cap
 * counts them. Uses charges_by_account, charges_by_run and checks_open.
 */
export async function sumSpend(
  db: Queryable,
  { account, watchId, runId }: SpentFor,
  prices: PriceByService,
  scope: CommitmentScope,
  { capped, now }: { readonly capped: CappedPeriods; readonly now: number },
): Promise<SpentSums> {
  const day = getDayStart(now);
  const since = capped.month ? getMonthStart(now) : day;
  const charged =
    capped.day || capped.month
      ? await db.one(sql<Record<'day' | 'month' | 'watch_day' | 'watch_month', number>>`
    SELECT coalesce(sum(CASE WHEN at >= ${day} THEN counted ELSE 0 END), 0) AS day,
      coalesce(sum(counted), 0) AS month,
      coalesce(sum(CASE WHEN at >= ${day} AND watch_id = ${watchId} THEN counted ELSE 0 END), 0) AS watch_day,
      coalesce(sum(CASE WHEN watch_id = ${watchId} THEN counted ELSE 0 END), 0) AS watch_month
    FROM (${countedCharges(account, prices)} AND c.at >= ${since}) AS this_period`)
      : { day: 0, month: 0, watch_day: 0, watch_month: 0 };
  const ofRun = capped.run
    ? await db.one(sql<{ amount: number }>`
    SELECT coalesce(sum(counted), 0) AS amount
    FROM (${countedCharges(account, prices)} AND c.run_id = ${runId} AND c.kind = 'batch') AS this_run`)
    : { amount: 0 };
  const committed = await db.one(sql<Record<'account' | 'watch' | 'run', number>>`
    SELECT coalesce(sum(cost), 0) AS account,
      coalesce(sum(CASE WHEN watch_id = ${watchId} THEN cost ELSE 0 END), 0) AS watch,
      coalesce(sum(CASE WHEN run_id = ${runId} THEN cost ELSE 0 END), 0) AS run
    FROM (
      ${committedBatches(account, prices, scope)} UNION ALL ${committedChecks(account, scope)}
    ) AS commitments`);
  const before =
    capped.day || capped.month
      ? await sumInOtherAccounts(db, { account, watchId }, prices, scope, { day, since })
      : { day: 0, month: 0 };
  const sum = (...parts: number[]): Micros => sumMicros(...parts.map(micros));
  return {
    watch: {
      run: sum(ofRun.amount, committed.run),
      day: sum(charged.watch_day, committed.watch, before.day),
      month: sum(charged.watch_month, committed.watch, before.month),
    },
    account: { day: sum(charged.day, committed.account), month: sum(charged.month, committed.account) },
    committed: micros(committed.account),
  };
}

/**
 * What a watch has spent, and may have spent, under accounts that it belonged to before: its caps go on. Reads its charges only
 * where it has had a run in another account. Uses runs_by_watch, charges_by_watch, batches_waiting and checks_open.
 */
async function sumInOtherAccounts(
  db: Queryable,
  { account, watchId }: Omit<SpentFor, 'runId'>,
  prices: PriceByService,
  scope: CommitmentScope,
  { day, since }: { readonly day: number; readonly since: number },
): Promise<{ readonly day: number; readonly month: number }> {
  const moved = await db.all(sql<{ account_id: AccountId }>`
    SELECT DISTINCT account_id FROM runs WHERE watch_id = ${watchId} AND account_id <> ${account} ORDER BY account_id`);
  const sums = { day: 0, month: 0 };
  for (const { account_id: other } of moved) {
    const charged = await db.one(sql<{ day: number; month: number }>`
      SELECT coalesce(sum(CASE WHEN at >= ${day} THEN counted ELSE 0 END), 0) AS day, coalesce(sum(counted), 0) AS month
      FROM (${countedCharges(other, prices)} AND c.watch_id = ${watchId} AND c.at >= ${since}) AS before_the_move`);
    const committed = await db.one(sql<{ cost: number }>`
      SELECT coalesce(sum(cost), 0) AS cost
      FROM (
        ${committedBatches(other, prices, scope)} UNION ALL ${committedChecks(other, scope)}
      ) AS commitments WHERE watch_id = ${watchId}`);
    sums.day += charged.day + committed.cost;
    sums.month += charged.month + committed.cost;
  }
  return sums;
}
