import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { getRun } from './runs.ts';

/**
 * URLs gone in this run, or in one before it that nobody carried through: a plan that was only looked at, or a run that
 * was given up, hides nothing.
 */
export async function countGoneSinceLastRun(db: Queryable, run: RunId): Promise<number> {
  const { id, watch_id } = await getRun(db, run);
  const row = await db.one(sql<{ urls: number }>`
    SELECT count(*) AS urls FROM urls WHERE gone_run IN (
      SELECT id FROM runs WHERE watch_id = ${watch_id} AND id <= ${id}
        AND (id = ${id} OR end_state IN ('previewed', 'abandoned'))
        AND id > coalesce((SELECT max(id) FROM runs WHERE watch_id = ${watch_id} AND end_state = 'finished'), 0))`);
  return row.urls;
}
