import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { type CheckHistory, type CheckPolicy, inSample, nextCheckAt } from '../../submission/check-schedule.ts';
import type { IdempotencyKey } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';

export interface CheckRow {
  readonly id: number;
  readonly account_id: string;
  readonly watch_id: number;
  readonly idempotency_key: IdempotencyKey;
  readonly digest: string;
  readonly body: string;
  readonly urls: number;
  readonly expected_cost: Micros;
  readonly state: 'planned' | 'sending' | 'done' | 'refused' | 'stopped';
  readonly reason: string | null;
  readonly attempts: number;
  readonly in_doubt_since: number | null;
  readonly not_before: number | null;
  readonly found: number | null;
  readonly charge: Micros | null;
}

/** The check of a watch that has no end yet. There is one at most: checks_open. */
export async function findOpenCheck(tx: Queryable, watchId: number): Promise<CheckRow | undefined> {
  return tx.get(sql<CheckRow>`
    SELECT * FROM checks WHERE watch_id = ${watchId} AND state IN ('planned', 'sending')`);
}

export interface QueueRow {
  readonly id: number;
  readonly url: Url;
  readonly completed_at: number;
  readonly checks: number;
  readonly misses: number;
  readonly last_check_at: number | null;
  readonly found_at: number | null;
  readonly resubmitted: number;
}

export const toCheckHistory = (row: QueueRow): CheckHistory => ({
  completedAt: row.completed_at,
  lastCheckAt: row.last_check_at,
  found: row.found_at !== null,
  misses: row.misses,
});

/** How long a URL outside the sample is left alone: then the sample may have been made larger. */
const SAMPLE_AGAIN_MS = 7 * 86_400_000;
const PAGE = 500;

/**
 * URLs that are due for a check, those that wait longest first. The queue holds times that the policy of their day gave;
 * each is judged anew by the policy of today, and one that is not due after all goes back with its new time.
 */
export async function listDueChecks(
  tx: Queryable,
  watchId: number,
  policy: CheckPolicy,
  now: number,
  limit: number,
): Promise<QueueRow[]> {
  const due: QueueRow[] = [];
  for (;;) {
    const taken = due.map(({ id }): Row => [id]);
    const page = await tx.all(sql<QueueRow>`
      SELECT u.id, u.url, q.completed_at, q.checks, q.misses, q.last_check_at, q.found_at, q.resubmitted
      FROM check_queue AS q JOIN urls AS u ON u.id = q.url_id
      WHERE q.watch_id = ${watchId} AND q.next_at <= ${now} AND q.check_id IS NULL AND u.gone_run IS NULL
        AND q.url_id NOT IN (SELECT id FROM ${toRows({ id: 'bigint' }, taken)} AS r)
      ORDER BY q.next_at, q.url_id LIMIT ${PAGE}`);
    const later: Row[] = [];
    for (const row of page) {
      const at = inSample(row.url, policy.sample) ? nextCheckAt(toCheckHistory(row), policy) : now + SAMPLE_AGAIN_MS;
      if (at !== null && at <= now) due.push(row);
      else later.push([row.id, at]);
      if (due.length === limit) break;
    }
    if (later.length > 0) {
      await tx.run(sql`
        UPDATE check_queue SET next_at = r.at FROM ${toRows({ id: 'bigint', at: 'bigint' }, later)} AS r
        WHERE check_queue.url_id = r.id`);
    }
    if (due.length === limit || page.length < PAGE) return due;
  }
}
