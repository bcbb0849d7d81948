import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { WatchPolicy } from '../policy.ts';

/** Why a URL is to be bought. */
export type DueReason =
  /** Never seen before. */
  | 'new'
  /** Its lastmod moved. */
  | 'changed'
  /** Its last generation failed. */
  | 'retry'
  /** Checked again and again, and never found. */
  | 'not-found'
  /** A person asked for it. */
  | 'released';

export interface DueUrl {
  readonly id: number;
  readonly url: Url;
  readonly generation: number;
}

/** What is due now; a URL that a batch holds already waits for that batch. Uses urls_due. */
const isDue = (watchId: number, now: number) => sql`
  watch_id = ${watchId} AND due IS NOT NULL AND gone_run IS NULL AND (due_at IS NULL OR due_at <= ${now})
    AND state NOT IN ('planned', 'submitted', 'quarantined')`;

/** The next due URLs in the order of the ledger, which is the order in which they were found. */
export async function listDueAfter(
  db: Queryable,
  watchId: number,
  { after, limit, now }: { after: number; limit: number; now: number },
): Promise<DueUrl[]> {
  return db.all(sql<DueUrl>`
    SELECT id, url, generation FROM urls WHERE ${isDue(watchId, now)} AND id > ${after} ORDER BY id LIMIT ${limit}`);
}

export type DueCounts = Readonly<Record<DueReason, number>>;

export async function countDue(db: Queryable, watchId: number, now: number): Promise<DueCounts> {
  const rows = await db.all(sql<{ due: DueReason; urls: number }>`
    SELECT due, count(*) AS urls FROM urls WHERE ${isDue(watchId, now)} GROUP BY due`);
  const counts = { new: 0, changed: 0, retry: 0, 'not-found': 0, released: 0 };
  for (const { due, urls } of rows) counts[due] = urls;
  return counts;
}

/** Those that no guard and no person has let pass yet: what a guard judges. */
export async function countUnguardedNew(db: Queryable, watchId: number, now: number): Promise<number> {
  const row = await db.one(sql<{ urls: number }>`
    SELECT count(*) AS urls FROM urls WHERE ${isDue(watchId, now)} AND due = 'new' AND guard_passed = 0`);
  return row.urls;
}

/** Those that a guard or a person has let pass, and a cap has held since. */
export async function countGuardPassed(db: Queryable, watchId: number, now: number): Promise<number> {
  const row = await db.one(sql<{ urls: number }>`
    SELECT count(*) AS urls FROM urls WHERE ${isDue(watchId, now)} AND guard_passed = 1`);
  return row.urls;
}

/** Holds what is due behind a URL, with the reason; it stays due and is planned when the reason is gone. */
export async function holdAfter(
  tx: Queryable,
  watchId: number,
  { after, now, reason }: { after: number; now: number; reason: string },
): Promise<number> {
  const held = await tx.run(sql`
    UPDATE urls SET state = 'held', reason = ${reason}, guard_passed = 1 WHERE ${isDue(watchId, now)} AND id > ${after}`);
  return held.changes;
}

/**
 * Settles what the watch's policy says without money: a changed URL that is not to be bought again, one bought too
 * recently, and one that another watch of the same account has bought in its present form.
 */
export async function applyPolicy(
  tx: Queryable,
  watchId: number,
  { resubmit }: Pick<WatchPolicy, 'resubmit'>,
  now: number,
): Promise<void> {
  if (!resubmit.onLastmodChange) {
    await tx.run(sql`
      UPDATE urls SET due = NULL, due_at = NULL, state = CASE WHEN state = 'held' THEN 'known' ELSE state END,
        reason = 'its lastmod moved; the watch does not resubmit'
      WHERE watch_id = ${watchId} AND due = 'changed'`);
  }
  await tx.run(sql`
    UPDATE urls SET due_at = bought_at + ${resubmit.notWithinMs}
    WHERE watch_id = ${watchId} AND due = 'changed' AND bought_at > ${now - resubmit.notWithinMs}`);
  await skipUrlsBoughtByOtherWatch(tx, watchId);
}

/**
 * A URL that two watches of an account list is bought once: by whichever plans it first. The other knows it as bought,
 * until its page changes and neither has bought the change.
 */
async function skipUrlsBoughtByOtherWatch(tx: Queryable, watchId: number): Promise<void> {
  const others = await tx.get(sql`
    SELECT 1 FROM watches AS mine JOIN watches AS other ON other.account_id = mine.account_id AND other.id <> mine.id
    WHERE mine.id = ${watchId} LIMIT 1`);
  if (others === undefined) return;
  await tx.run(sql`
    UPDATE urls SET due = NULL, due_at = NULL, state = CASE WHEN state = 'held' THEN 'known' ELSE state END,
      reason = 'bought by another watch of the account'
    WHERE watch_id = ${watchId} AND due IN ('new', 'changed') AND EXISTS (
      SELECT 1 FROM urls AS twin JOIN watches AS w ON w.id = twin.watch_id
      WHERE twin.fp = urls.fp AND twin.watch_id <> urls.watch_id AND twin.url = urls.url AND twin.generation > 0
        AND twin.state <> 'quarantined'
        AND w.account_id = (SELECT account_id FROM watches WHERE id = ${watchId})
        AND (urls.due = 'new' OR twin.bought_lastmod = urls.lastmod))`);
}
