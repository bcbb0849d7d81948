import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { LIMITS } from '../../../contract/limits.ts';
import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { type CheckHistory, type CheckPolicy, inSample, nextCheckAt } from '../../submission/check-schedule.ts';
import type { AccountId, IdempotencyKey } from '../../submission/ids.ts';
import type { StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { CheckState } from '../purchases/states.ts';

export interface CheckRow extends StoredReason {
  readonly id: number;
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly idempotency_key: IdempotencyKey;
  readonly digest: string;
  readonly body: string;
  readonly urls: number;
  readonly expected_cost: Micros;
  readonly round: number;
  /** As planned: how long its URLs wait when its outcome stays unknown. */
  readonly every_ms: number;
  readonly planned_at: number;
  readonly state: CheckState;
  readonly attempts: number;
  readonly in_doubt_since: number | null;
  readonly not_before: number | null;
  readonly waits_since: number | null;
  readonly found: number | null;
  readonly charge: Micros | null;
}

/** The open check of a watch; at most one, by the index checks_open. */
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

/** How long to skip a URL outside the sample or gone from the sitemaps: both may change. */
const LOOK_AGAIN_MS = 7 * 86_400_000;
const PAGE = 500;

interface Waiting extends QueueRow {
  readonly next_at: number;
  readonly gone_run: number | null;
}

/**
 * Postpones URLs that are not due after all, until a check could be filled: gone URLs, URLs outside the sample, and URLs
 * that the current policy checks later. One page per write, yielding to the event loop in between, so that neither the
 * account nor a heartbeat waits for a million rows. Uses check_queue_due.
 */
export async function deferChecks(db: Queryable, watchId: number, policy: CheckPolicy, now: number): Promise<void> {
  let due = 0;
  let last: Pick<Waiting, 'next_at' | 'id'> = { next_at: Number.MIN_SAFE_INTEGER, id: 0 };
  for (;;) {
    const page: Waiting[] = await db.all(selectWaiting(watchId, now, last));
    const later = page.flatMap((row): Row[] => {
      const at = getNextTime(row, policy, now);
      if (at !== null && at <= now) due += 1;
      return at !== null && at <= now ? [] : [[row.id, at]];
    });
    if (later.length > 0) await db.run(updateNextTimes(later));
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE || due >= LIMITS.indexCheckUrls) return;
    last = end;
    await yieldToEventLoop();
  }
}

function getNextTime(row: Waiting, policy: CheckPolicy, now: number): number | null {
  if (row.gone_run !== null || !inSample(row.url, policy.sample)) return now + LOOK_AGAIN_MS;
  return nextCheckAt(toCheckHistory(row), policy);
}

/** The due rows of the queue, longest waiting first. */
export const selectWaiting = (
  watchId: number,
  now: number,
  { next_at, id }: Pick<Waiting, 'next_at' | 'id'>,
): Query<Waiting> => sql<Waiting>`
  SELECT u.id, u.url, q.completed_at, q.checks, q.misses, q.last_check_at, q.found_at, q.resubmitted, q.next_at,
    u.gone_run
  FROM check_queue AS q JOIN urls AS u ON u.id = q.url_id
  WHERE q.watch_id = ${watchId} AND q.next_at <= ${now} AND q.check_id IS NULL AND q.next_at >= ${next_at}
    AND (q.next_at > ${next_at} OR q.url_id > ${id})
  ORDER BY q.next_at, q.url_id LIMIT ${PAGE}`;

export const updateNextTimes = (rows: readonly Row[]): Query => sql`
  UPDATE check_queue SET next_at = r.at FROM ${toRows({ id: 'bigint', at: 'bigint' }, rows)} AS r
  WHERE check_queue.url_id = r.id`;

/** At most `limit` URLs that are due for a check by the current policy, longest waiting first. */
export async function listDueChecks(
  tx: Queryable,
  watchId: number,
  policy: CheckPolicy,
  now: number,
  limit: number,
): Promise<QueueRow[]> {
  const page = await tx.all(selectWaiting(watchId, now, { next_at: Number.MIN_SAFE_INTEGER, id: 0 }));
  const due = page.filter((row) => {
    const at = getNextTime(row, policy, now);
    return at !== null && at <= now;
  });
  return due.slice(0, limit);
}
