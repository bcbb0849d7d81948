import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { getRun, HAS_PASSED, type RunRow } from './runs.ts';

/**
 * This run and those before it, since the last one that finished or planned anything: a plan that was only looked at, or a
 * run that was given up before, hides nothing of what it found first.
 */
export const selectRunsSinceLast = ({
  id,
  watch_id,
}: Pick<RunRow, 'id' | 'watch_id'>): Query<{ readonly id: number }> => sql`
  SELECT id FROM runs WHERE watch_id = ${watch_id} AND id <= ${id}
    AND (id = ${id} OR end_state IN ('previewed', 'abandoned'))
    AND id > coalesce((SELECT max(id) FROM runs WHERE watch_id = ${watch_id} AND id < ${id} AND ${HAS_PASSED}), 0)`;

export interface Gone {
  /** URLs gone since then. */
  readonly gone: number;
  /** First seen since then, too, and gone again, such as those that are excluded after a plan: neither new nor gone. */
  readonly passing: number;
}

/** Uses urls_gone. */
export async function countGone(db: Queryable, run: Pick<RunRow, 'id' | 'watch_id'>): Promise<Gone> {
  const runs = selectRunsSinceLast(run);
  const { urls, passing } = await db.one(sql<{ urls: number; passing: number }>`
    SELECT count(*) AS urls, coalesce(sum(CASE WHEN first_run IN (${runs}) THEN 1 ELSE 0 END), 0) AS passing
    FROM urls WHERE gone_run IN (${runs})`);
  return { gone: urls - passing, passing };
}

export async function countGoneSinceLastRun(db: Queryable, run: RunId): Promise<number> {
  const { gone } = await countGone(db, await getRun(db, run));
  return gone;
}
