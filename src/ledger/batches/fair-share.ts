import { LIMITS } from '../../../contract/limits.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, raw, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { isWaitingSql } from '../waits.ts';

/**
 * The order in which the watches of an account take turns (docs/explanation/rate-limits.md): fair queueing by URLs. A watch's
 * share counts the URLs that it sent. The account's share is the least share of a watch that waits: one that had nothing
 * to send begins there, so an idle time gives no credit.
 */

/** A submission takes a slot of the lane however small it is, so hundreds of small batches do not all pass a large one. */
const SUBMISSION_COSTS_URLS = 100;
/** No watch is further ahead than one batch. A share beyond that comes from another account, which counts from elsewhere. */
const MOST_AHEAD = raw(String(LIMITS.submissionUrls + SUBMISSION_COSTS_URLS));
/** After this many fast batches in a row a standard one goes, if one waits. */
const FAST_IN_A_ROW = raw('2');

/** The share at which the next batch of watch `w` begins, beside that of its account. */
const beginsAt = (account: Query): Query =>
  sql`CASE WHEN w.share < ${account} THEN ${account}
    WHEN w.share > ${account} + ${MOST_AHEAD} THEN ${account} + ${MOST_AHEAD} ELSE w.share END`;

/**
 * Orders batches `b` of watches `w` of account `a` as they are sent: fast before standard but for every third turn, then
 * by the share that the watch has after the batch, then the watch that was served longest ago, then first attempts.
 */
export const inFairOrder: Query = sql`
  CASE b.service WHEN 'fast' THEN CASE WHEN a.fast_in_a_row < ${FAST_IN_A_ROW} THEN 0 ELSE 2 END ELSE 1 END,
  b.urls + ${beginsAt(raw("CASE b.service WHEN 'fast' THEN a.fast_share ELSE a.standard_share END"))},
  w.served_at, CASE WHEN b.not_before IS NULL THEN 0 ELSE 1 END, b.id`;

const accountShare = (service: ServiceLevel): Query => raw(service === 'fast' ? 'a.fast_share' : 'a.standard_share');

/** The batch whose turn it is. */
interface Turn {
  readonly watch_id: number;
  readonly account_id: AccountId;
  readonly service: ServiceLevel;
  readonly urls: number;
}

/** Counts a turn of the batch's watch, whatever the response will be. The account is locked by the caller. */
export async function recordTurn(
  tx: Queryable,
  { watch_id: watch, account_id: account, service, urls }: Turn,
  now: number,
): Promise<void> {
  const { begins, least } = await tx.one(selectShares(account, service, watch, now));
  await tx.run(sql`
    UPDATE watches SET share = ${begins + urls + SUBMISSION_COSTS_URLS}, served_at = ${now} WHERE id = ${watch}`);
  await tx.run(
    service === 'fast'
      ? sql`UPDATE ledger_accounts SET fast_share = ${least}, fast_in_a_row = fast_in_a_row + 1 WHERE id = ${account}`
      : sql`UPDATE ledger_accounts SET standard_share = ${least}, fast_in_a_row = 0 WHERE id = ${account}`,
  );
}

/** Where the watch begins, and the least share of a watch with a batch that may be sent. Uses batches_waiting. */
export const selectShares = (account: AccountId, service: ServiceLevel, watch: number, now: number) => sql<{
  begins: number;
  least: number;
}>`
  SELECT max(CASE WHEN w.id = ${watch} THEN ${beginsAt(accountShare(service))} END) AS begins,
    min(${beginsAt(accountShare(service))}) AS least
  FROM ledger_accounts AS a, watches AS w
  WHERE a.id = ${account} AND (w.id = ${watch} OR w.id IN (
    SELECT watch_id FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') AND service = ${service}
      AND NOT ${isWaitingSql(now)}))`;
