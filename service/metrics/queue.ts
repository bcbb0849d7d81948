import { SERVICE_LEVELS, type ServiceLevel } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { QueueState } from './metrics.ts';

/** Counts stop here: a queue this long is an alarm whatever its length, and a scrape must cost little. */
export const MAX_COUNTED = 10_000;

interface Row {
  readonly count: number;
  readonly oldest: number | null;
}

/** The queue of each service level. Uses submissions_open and submissions_waiting. */
export async function readQueue(db: Queryable, now: number): Promise<QueueState[]> {
  const states: QueueState[] = [];
  for (const service of SERVICE_LEVELS) {
    const [open, waiting] = [await countOpen(db, service), await countWaiting(db, service)];
    states.push({
      service,
      waiting: waiting.count,
      oldestWaitingSeconds: toAge(waiting.oldest, now),
      open: open.count,
      oldestOpenSeconds: toAge(open.oldest, now),
    });
  }
  return states;
}

const countOpen = (db: Queryable, service: ServiceLevel): Promise<Row> =>
  db.one(sql<Row>`
    SELECT count(*) AS count, min(created_at) AS oldest FROM (
      SELECT created_at FROM submissions WHERE finished_at IS NULL AND service = ${service}
      ORDER BY ran_at LIMIT ${MAX_COUNTED}) AS s`);

const countWaiting = (db: Queryable, service: ServiceLevel): Promise<Row> =>
  db.one(sql<Row>`
    SELECT count(*) AS count, min(created_at) AS oldest FROM (
      SELECT created_at FROM submissions WHERE dispatched_at IS NULL AND service = ${service}
      ORDER BY id LIMIT ${MAX_COUNTED}) AS s`);

const toAge = (oldest: number | null, now: number): number =>
  oldest === null ? 0 : Math.max(0, (now - oldest) / 1_000);
