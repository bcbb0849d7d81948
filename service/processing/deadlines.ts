import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { Clock, Moment } from '../capacity/clock.ts';
import { runEvery } from '../capacity/run-every.ts';
import { expire } from './transitions.ts';

export interface DeadlineDeps {
  readonly db: Database;
  /** How long after acceptance a submission ends at the latest, in milliseconds. */
  readonly deadlines: Readonly<Record<ServiceLevel, number>>;
  readonly refundFailed: boolean;
}

/** At a time: few enough that other writers get their turn in between. */
const BATCH = 50;
const SWEEP_MS = 10_000;
const REASON = 'not processed before the deadline of its service level';

/**
 * Ends the submissions whose deadline has passed, oldest first, whether a worker, Temporal or a processor hangs or
 * there is none. A deadline is a length of time in which the service ran, so no clock ends one. Returns how many.
 * Uses submissions_open.
 */
export async function expireOverdue(
  { db, deadlines, refundFailed }: DeadlineDeps,
  { at, ran }: Moment,
): Promise<number> {
  let expired = 0;
  for (const service of SERVICE_LEVELS) {
    const overdue = await db.all(sql<{ reference: string }>`
      SELECT reference FROM submissions
      WHERE finished_at IS NULL AND service = ${service} AND ran_at <= ${ran - deadlines[service]}
      ORDER BY ran_at LIMIT ${BATCH}`);
    for (const { reference } of overdue) {
      if (await expire(db, reference, REASON, { refundFailed, now: at })) expired++;
    }
  }
  return expired;
}

/** Ends overdue submissions now and every ten seconds. Returns the function that stops it. */
export function runDeadlines(
  deps: DeadlineDeps,
  clock: Clock,
  onExpired: (count: number) => void,
  onError: (error: unknown) => void,
): () => Promise<void> {
  return runEvery(
    SWEEP_MS,
    async () => {
      const count = await expireOverdue(deps, await clock.look());
      if (count > 0) onExpired(count);
    },
    onError,
  );
}
