import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { nextGeneration, type RetryFailedPolicy } from '../../submission/generations.ts';
import type { Reason } from '../../submission/reason.ts';
import { assignReason } from '../reason-columns.ts';

/*
 * What becomes of the URLs of a job that has ended, from the results that are recorded for them. `which`: a condition on
 * `urls AS u` and `batch_urls AS m`, for the URLs that still wait for the result of this job.
 */

export interface Settled {
  readonly completed: number;
  readonly failed: number;
  /** The job ended and the service does not say what became of them. They count as bought, until their page changes. */
  readonly open: number;
  /** Failed URLs by what follows: bought again later, or quarantined. */
  readonly again: number;
  readonly quarantined: number;
}

/** The URLs that wait for the result of their job, as a condition on `urls AS u` and `batch_urls AS m`. */
export const IS_OPEN = sql`u.state = 'submitted'`;

/** In these two states a URL without a result has that of its job. */
export async function fillIn(tx: Queryable, batch: number, jobState: string): Promise<void> {
  if (jobState !== 'completed' && jobState !== 'failed') return;
  await tx.run(sql`
    UPDATE batch_urls SET result = ${jobState} WHERE batch_id = ${batch} AND (result IS NULL OR result = 'open')`);
}

/** A new generation restarts the URL's index-checks. Uses check_queue's primary key. */
export const queueChecks = (tx: Queryable, batch: number, now: number, which = sql`1 = 1`) =>
  tx.run(sql`
    INSERT INTO check_queue (url_id, watch_id, completed_at, next_at)
    SELECT u.id, u.watch_id, CAST(${now} AS BIGINT), CAST(${now} AS BIGINT) FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${batch} AND m.result = 'completed' AND ${which}
    ON CONFLICT (url_id) DO UPDATE SET completed_at = excluded.completed_at, next_at = excluded.next_at,
      checks = 0, misses = 0, found_at = NULL, last_check_at = NULL`);

export const complete = (tx: Queryable, batch: number, now: number, which = IS_OPEN) =>
  tx.run(sql`
    UPDATE urls SET state = 'completed', reason_code = NULL, reason_params = NULL, failures = 0, completed_at = ${now}
    WHERE id IN (
      SELECT u.id FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
      WHERE m.batch_id = ${batch} AND m.result = 'completed' AND ${which})`);

/** Failed URLs grouped by what the policy says: usually one group, whatever the size of the batch. */
export async function fail(
  tx: Queryable,
  batch: number,
  failedAt: number,
  policy: RetryFailedPolicy | null,
  which = IS_OPEN,
): Promise<void> {
  const groups = await tx.all(sql<{ failures: number; reason: string | null }>`
    SELECT u.failures + 1 AS failures, m.reason FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${batch} AND m.result = 'failed' AND ${which} GROUP BY u.failures, m.reason`);
  for (const { failures, reason } of groups) {
    const next = toFailedState(failures, failedAt, policy, reason);
    await tx.run(sql`
      UPDATE urls SET state = ${next.state}, failures = ${failures}, ${assignReason(next.reason)}, due = ${next.due},
        due_at = ${next.dueAt}
      WHERE failures = ${failures - 1} AND id IN (
        SELECT u.id FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
        WHERE m.batch_id = ${batch} AND m.result = 'failed' AND m.reason IS NOT DISTINCT FROM ${reason} AND ${which})`);
  }
}

interface FailedState {
  readonly state: 'failed' | 'quarantined';
  readonly reason: Reason | null;
  readonly due: 'retry' | null;
  readonly dueAt: number | null;
}

function toFailedState(
  failures: number,
  failedAt: number,
  policy: RetryFailedPolicy | null,
  text: string | null,
): FailedState {
  if (policy === null) {
    const reason: Reason = { code: 'failed_without_watch', failures, failedAt, text };
    return { state: 'failed', reason, due: 'retry', dueAt: null };
  }
  const next = nextGeneration(failures, failedAt, policy, text);
  if (next.kind === 'quarantine') return { state: 'quarantined', reason: next.reason, due: null, dueAt: null };
  const reason: Reason | null = text === null ? null : { code: 'reported', text };
  return { state: 'failed', reason, due: 'retry', dueAt: next.notBefore };
}

export async function settledCounts(tx: Queryable, batch: number): Promise<Settled> {
  const row = await tx.one(sql<Record<keyof Settled, number>>`
    SELECT coalesce(sum(CASE WHEN m.result = 'completed' THEN 1 ELSE 0 END), 0) AS completed,
      coalesce(sum(CASE WHEN m.result = 'failed' THEN 1 ELSE 0 END), 0) AS failed,
      coalesce(sum(CASE WHEN m.result IS NULL OR m.result = 'open' THEN 1 ELSE 0 END), 0) AS open,
      coalesce(sum(CASE WHEN m.result = 'failed' AND u.state = 'failed' THEN 1 ELSE 0 END), 0) AS again,
      coalesce(sum(CASE WHEN m.result = 'failed' AND u.state = 'quarantined' THEN 1 ELSE 0 END), 0) AS quarantined
    FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id WHERE m.batch_id = ${batch}`);
  return { ...row };
}

/** Counts the results of a job again, where lists show them. */
export const countResults = (tx: Queryable, batch: number) =>
  tx.run(sql`
    UPDATE batches SET
      completed = (SELECT count(*) FROM batch_urls WHERE batch_id = ${batch} AND result = 'completed'),
      failed = (SELECT count(*) FROM batch_urls WHERE batch_id = ${batch} AND result = 'failed')
    WHERE id = ${batch}`);
