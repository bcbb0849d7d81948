import { LIMITS } from '../../../contract/limits.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';

/** How many URLs the next check may have, or why checks are stopped. */
export type CheckRoom =
  | { readonly kind: 'room'; readonly urls: number }
  | { readonly kind: 'stopped'; readonly reason: string; readonly until: number };

/** After this many consecutive rejections of single URLs, the URLs are not the problem. */
const MOST_REJECTED = 8;
/** After a stop one URL is tried: the service may accept it, or its results may be readable, by then. */
const PROBE_AFTER_MS = 86_400_000;

interface LastCheck extends StoredReason {
  readonly state: string;
  readonly urls: number;
  readonly usable: number | null;
  readonly done_at: number | null;
}

/**
 * After a rejection that named no URL the next check is half as large, until the rejected URL stands alone. After eight
 * single URLs in a row, and after a paid answer without one readable result, checks stop for a day; then one URL is
 * tried, which costs the price of one. Uses checks_by_watch.
 */
export async function decideCheckRoom(db: Queryable, watchId: number, now: number): Promise<CheckRoom> {
  const last = await db.get(sql<LastCheck>`
    SELECT state, urls, usable, done_at, reason_code, reason_params FROM checks
    WHERE watch_id = ${watchId} AND state <> 'cancelled' ORDER BY id DESC LIMIT 1`);
  const until = (last?.done_at ?? 0) + PROBE_AFTER_MS;
  if (last?.state === 'done' && last.usable === 0) {
    return until > now ? { kind: 'stopped', until, reason: describeUnreadable(last.urls) } : { kind: 'room', urls: 1 };
  }
  if (last?.state !== 'refused') return { kind: 'room', urls: LIMITS.indexCheckUrls };
  if (until > now && (await countRejectedInRow(db, watchId)) >= MOST_REJECTED) {
    const reason =
      `the service rejected ${MOST_REJECTED} index-checks of a single URL in a row (${renderStoredReason(last) ?? 'no reason given'}). ` +
      'Nothing was charged for them and no URL was given up; one URL is tried again after a day';
    return { kind: 'stopped', until, reason };
  }
  return { kind: 'room', urls: Math.max(1, Math.ceil(last.urls / 2)) };
}

/** What an answer without one readable result means. */
export function describeUnreadable(urls: number): string {
  return (
    `${urls} URLs were checked and paid, and none of the results says whether its URL is in the index. Checks stop for a ` +
    'day; then one URL is tried. Map the words of the service under "status_map" of the account, or end index_check'
  );
}

async function countRejectedInRow(db: Queryable, watchId: number): Promise<number> {
  const { rejected } = await db.one(sql<{ rejected: number }>`
    SELECT count(*) AS rejected FROM (
      SELECT state, urls FROM checks WHERE watch_id = ${watchId} AND state <> 'cancelled'
      ORDER BY id DESC LIMIT ${MOST_REJECTED}) AS latest
    WHERE state = 'refused' AND urls = 1`);
  return rejected;
}
