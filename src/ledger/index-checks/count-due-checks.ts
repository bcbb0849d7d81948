import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';

/** URLs of a watch whose index check is due at an instant, those outside of its sample included. Uses check_queue_due. */
export async function countDueChecks(db: Queryable, watchId: number, at: number): Promise<number> {
  const { due } = await db.one(sql<{ due: number }>`
    SELECT count(*) AS due FROM check_queue WHERE watch_id = ${watchId} AND next_at <= ${at} AND check_id IS NULL`);
  return due;
}
