import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { deleteEndedKeys } from '../accounts/keys.ts';
import { deleteExpiredSessions } from '../accounts/sessions.ts';
import type { Clock, Moment } from '../capacity/clock.ts';
import { urlParts } from '../capacity/part-of-statement.ts';
import { runEvery } from '../capacity/run-every.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import type { BudgetSettings, Retention } from '../settings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 60_000;
/** Rows that one statement deletes: a few milliseconds of SQLite. */
const BATCH = 200;
/** Index-checks with their results, which are long; and submissions, whose URLs are deleted one after the other. */
const LARGE_BATCH = 50;

export interface Deleted {
  readonly submissions: number;
  readonly checks: number;
  readonly events: number;
  readonly keys: number;
  readonly budgets: number;
  readonly sessions: number;
}

export interface RetentionDeps {
  readonly db: Database;
  readonly retention: Retention;
  readonly budgets: BudgetSettings;
  /** Ends a sweep early, between two statements or submissions. */
  readonly stop?: AbortSignal;
}

/**
 * Deletes what is older than its retention at a moment that was looked at, so that a clock that jumps during the sweep, or
 * jumped before it, deletes nothing early. Deletes the windows of keys that count nothing any more. Submissions, their
 * idempotency keys, entries and prices stay, so no retry is ever charged as if it were new.
 */
export async function deleteOld(
  { db, retention, budgets, stop }: RetentionDeps,
  { at, believed }: Pick<Moment, 'at' | 'believed'>,
): Promise<Deleted> {
  const { urlsDays, checksDays, eventsDays, keysDays } = retention;
  const longest = Math.max(budgets.minute.windowMs, budgets.hour.windowMs, budgets.day.windowMs);
  const before = (days: number) => believed - days * DAY_MS;
  const all = (deleteSome: (limit: number) => Promise<number>, limit = BATCH) => deleteAll(deleteSome, limit, stop);
  return {
    submissions:
      urlsDays === null
        ? 0
        : await all((limit) => deleteUrls(db, { before: before(urlsDays), at, limit, stop }), LARGE_BATCH),
    checks: checksDays === null ? 0 : await all((limit) => deleteResults(db, before(checksDays), limit), LARGE_BATCH),
    events: eventsDays === null ? 0 : await all((limit) => deleteEvents(db, before(eventsDays), limit)),
    keys: keysDays === null ? 0 : await all((limit) => deleteEndedKeys(db, before(keysDays), limit)),
    budgets: await all((limit) => deleteBudgets(db, believed - longest - DAY_MS, limit)),
    sessions: await all((limit) => deleteExpiredSessions(db, believed, limit)),
  };
}

/** Repeats a batch until one is not full. Other work continues in between. */
async function deleteAll(
  deleteSome: (limit: number) => Promise<number>,
  limit: number,
  stop?: AbortSignal,
): Promise<number> {
  for (let total = 0; ; await yieldToEventLoop()) {
    const deleted = await deleteSome(limit);
    total += deleted;
    if (deleted < limit || stop?.aborted === true) return total;
  }
}

interface UrlsToDelete {
  readonly before: number;
  readonly at: number;
  readonly limit: number;
  readonly stop: AbortSignal | undefined;
}

/** All URLs of a submission with the mark that they are gone, or none of them. Uses submissions_with_urls. */
async function deleteUrls(db: Database, { before, at, limit, stop }: UrlsToDelete): Promise<number> {
  const old = await db.all(sql<{ id: number; url_count: number }>`
    SELECT id, url_count FROM submissions WHERE finished_at < ${before} AND urls_deleted_at IS NULL
    ORDER BY finished_at LIMIT ${limit}`);
  let deleted = 0;
  for (const submission of old) {
    if (stop?.aborted === true) break;
    await db.tx(async (tx) => {
      await tx.run(sql`UPDATE submissions SET urls_deleted_at = ${at} WHERE id = ${submission.id}`);
      for (const part of urlParts(submission)) {
        await tx.run(sql`DELETE FROM submission_urls WHERE ${part}`);
        await yieldToEventLoop();
      }
    });
    deleted++;
  }
  return deleted;
}

/** The check, its price and its key stay. Uses index_checks_with_results. */
async function deleteResults(db: Database, before: number, limit: number): Promise<number> {
  const { changes } = await db.run(sql`
    UPDATE index_checks SET urls = '[]', results = NULL WHERE id IN (
      SELECT id FROM index_checks WHERE results IS NOT NULL AND finished_at < ${before}
      ORDER BY finished_at LIMIT ${limit})`);
  return changes;
}

/** Uses audit_events_by_time. */
async function deleteEvents(db: Database, before: number, limit: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM audit_events WHERE id IN (
      SELECT id FROM audit_events WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit})`);
  return changes;
}

async function deleteBudgets(db: Database, before: number, limit: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM budgets WHERE key_id IN (SELECT key_id FROM budgets WHERE updated_at < ${before} LIMIT ${limit})`);
  return changes;
}

interface Events {
  readonly onDeleted: (deleted: Deleted) => void;
  readonly onError: (error: unknown) => void;
}

/** Deletes at once and every minute. Returns how to stop it. */
export function runRetention(deps: RetentionDeps, clock: Clock, { onDeleted, onError }: Events): () => Promise<void> {
  const stopping = new AbortController();
  const end = runEvery(
    SWEEP_MS,
    async () => {
      const deleted = await deleteOld({ ...deps, stop: stopping.signal }, await clock.look());
      if (Object.values(deleted).some((count) => count > 0)) onDeleted(deleted);
    },
    onError,
  );
  return () => {
    stopping.abort();
    return end();
  };
}
