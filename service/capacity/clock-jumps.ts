import type { Database, Queryable } from '../../src/database/database.ts';
import { dialectal, raw, sql } from '../../src/database/sql.ts';

/** What the clock may differ from the time that passed before it is a jump. */
const TOLERANCE_MS = 60_000;
/** So long after a jump nothing is deleted for its age: somebody may set the clock right. */
const DOUBT_MS = 24 * 60 * 60 * 1_000;

/** The clock that deadlines are read from: that of Postgres, so that all processes have the same one. */
export async function readClock(db: Queryable, now: () => number): Promise<number> {
  if (db.dialect === 'sqlite') return now();
  const { at } = await db.one(sql<{ at: number }>`
    SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS at`);
  return at;
}

/**
 * Notes when the clock moved without time passing in the service: it was set, or no process ran. A deadline is a length,
 * so that time does not count for the submissions that were there. `elapsedMs`: how long this process has waited since
 * its last look, by a clock that nobody sets; 0 for its first.
 */
export async function noteClock(db: Database, at: number, elapsedMs: number): Promise<void> {
  await db.tx(async (tx) => {
    const last = await tx.get(sql<{ at: number }>`
      SELECT at FROM service_state WHERE name = 'clock' ${dialectal(raw(''), raw('FOR UPDATE'))}`);
    await tx.run(sql`
      INSERT INTO service_state (name, at) VALUES ('clock', ${at}) ON CONFLICT (name) DO UPDATE SET at = excluded.at`);
    if (last === undefined) return;
    // Another process may have looked in between: then less has passed than this one waited.
    const passed = at - last.at;
    const jump = passed < 0 ? passed : Math.max(0, passed - elapsedMs);
    if (Math.abs(jump) <= TOLERANCE_MS) return;
    await tx.run(sql`
      DELETE FROM clock_jumps WHERE last_submission < (
        SELECT coalesce(min(id), ${Number.MAX_SAFE_INTEGER}) FROM submissions WHERE finished_at IS NULL)
        AND seen_at < ${at - DOUBT_MS}`);
    await tx.run(sql`
      INSERT INTO clock_jumps (last_submission, ms, seen_at)
      SELECT coalesce(max(id), 0), CAST(${jump} AS BIGINT), CAST(${at} AS BIGINT) FROM submissions`);
  });
}

/** Submissions for which the same time on the clock did not count. */
export interface Stretch {
  /** Ids above this one, up to the next stretch. */
  readonly after: number;
  readonly upTo: number;
  readonly ms: number;
}

/** All submissions, the newest first, by the time that did not count for them. */
export async function listStretches(db: Queryable): Promise<Stretch[]> {
  const jumps = await db.all(sql<{ id: number; ms: number }>`
    SELECT last_submission AS id, sum(ms) AS ms FROM clock_jumps GROUP BY last_submission ORDER BY last_submission DESC`);
  let ms = 0;
  let upTo = Number.MAX_SAFE_INTEGER;
  const stretches: Stretch[] = [];
  for (const jump of jumps) {
    stretches.push({ after: jump.id, upTo, ms });
    upTo = jump.id;
    ms += jump.ms;
  }
  return [...stretches, { after: 0, upTo, ms }];
}

/** Whether the clock jumped ahead by more than a day within the last one, so that what seems old may not be. */
export async function isClockDoubtful(db: Queryable, now: number): Promise<boolean> {
  const row = await db.get(
    sql`SELECT 1 AS found FROM clock_jumps WHERE ms > ${DOUBT_MS} AND seen_at > ${now - DOUBT_MS} LIMIT 1`,
  );
  return row !== undefined;
}
