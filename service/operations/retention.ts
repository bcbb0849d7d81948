import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { deleteExpiredSessions } from '../accounts/sessions.ts';
import { runEvery } from '../capacity/run-every.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import type { BudgetSettings, Retention } from '../settings.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const SWEEP_MS = 60_000;
/** Submissions, checks or events of one sweep: what is left is deleted by the next one. */
const BATCH = 200;
/** URLs of one statement: a few milliseconds of SQLite. */
const URLS = 500;

export interface Deleted {
  readonly submissions: number;
  readonly checks: number;
  readonly events: number;
  readonly budgets: number;
  readonly sessions: number;
}

export interface RetentionDeps {
  readonly db: Database;
  readonly retention: Retention;
  readonly budgets: BudgetSettings;
  readonly now: () => number;
}

/**
 * Deletes what is older than its retention, and the windows of keys that count nothing any more. Submissions, their
 * idempotency keys, entries and prices stay, so no retry is ever charged as if it were new.
 */
export async function deleteOld({ db, retention, budgets, now }: RetentionDeps): Promise<Deleted> {
  const { urlsDays, checksDays, eventsDays } = retention;
  const longest = Math.max(budgets.minute.windowMs, budgets.hour.windowMs, budgets.day.windowMs);
  const before = (days: number) => now() - days * DAY_MS;
  return {
    submissions: urlsDays === null ? 0 : await deleteUrls(db, before(urlsDays), now),
    checks: checksDays === null ? 0 : await deleteResults(db, before(checksDays)),
    events: eventsDays === null ? 0 : await deleteEvents(db, before(eventsDays)),
    budgets: await deleteBudgets(db, now() - longest - DAY_MS),
    sessions: await deleteExpiredSessions(db, now(), BATCH),
  };
}

/** Uses submissions_with_urls. */
async function deleteUrls(db: Database, before: number, now: () => number): Promise<number> {
  const old = await db.all(sql<{ id: number; url_count: number }>`
    SELECT id, url_count FROM submissions WHERE finished_at < ${before} AND urls_deleted_at IS NULL
    ORDER BY finished_at LIMIT ${BATCH}`);
  for (const { id, url_count: count } of old) {
    // Marked first: whoever counts the URLs must not take a part of them for all.
    await db.run(sql`UPDATE submissions SET urls_deleted_at = ${now()} WHERE id = ${id}`);
    for (let position = 0; position < count; position += URLS) {
      await db.run(sql`
        DELETE FROM submission_urls
        WHERE submission_id = ${id} AND position >= ${position} AND position < ${position + URLS}`);
      await yieldToEventLoop();
    }
  }
  return old.length;
}

/** The check, its price and its key stay. Uses index_checks_with_results. */
async function deleteResults(db: Database, before: number): Promise<number> {
  const { changes } = await db.run(sql`
    UPDATE index_checks SET urls = '[]', results = NULL WHERE id IN (
      SELECT id FROM index_checks WHERE results IS NOT NULL AND finished_at < ${before}
      ORDER BY finished_at LIMIT ${BATCH})`);
  return changes;
}

/** Uses audit_events_by_time. */
async function deleteEvents(db: Database, before: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM audit_events WHERE id IN (
      SELECT id FROM audit_events WHERE created_at < ${before} ORDER BY created_at LIMIT ${BATCH})`);
  return changes;
}

async function deleteBudgets(db: Database, before: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM budgets WHERE key_id IN (SELECT key_id FROM budgets WHERE updated_at < ${before} LIMIT ${BATCH})`);
  return changes;
}

interface Events {
  readonly onDeleted: (deleted: Deleted) => void;
  readonly onError: (error: unknown) => void;
}

/** Deletes at once and every minute. Returns how to stop it. */
export function runRetention(deps: RetentionDeps, { onDeleted, onError }: Events): () => Promise<void> {
  return runEvery(
    SWEEP_MS,
    async () => {
      const deleted = await deleteOld(deps);
      if (Object.values(deleted).some((count) => count > 0)) onDeleted(deleted);
    },
    onError,
  );
}
