import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';

/** URLs of a watch whose index check is due at an instant, those outside of its sample included. Uses check_queue_due. */
export async function countDueChecks(db: Queryable, watchId: number, at: number): Promise<number> {
  const { due } = await db.one(sql<{ due: number }>`
    SELECT count(*) AS due FROM check_queue WHERE watch_id = ${watchId} AND next_at <= ${at} AND check_id IS NULL`);
  return due;
}

/** The same for many watches, each at an instant of its own; one without any is left out. Uses check_queue_due. */
export async function listDueChecks(
  db: Queryable,
  watches: readonly { readonly watchId: number; readonly at: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (watches.length === 0) return new Map();
  const asked = toRows(
    { id: 'bigint', at: 'bigint' },
    watches.map(({ watchId, at }): Row => [watchId, at]),
  );
  const rows = await db.all(sql<{ id: number; due: number }>`
    SELECT r.id, count(*) AS due FROM ${asked} AS r JOIN check_queue AS q ON q.watch_id = r.id
    WHERE q.next_at <= r.at AND q.check_id IS NULL GROUP BY r.id`);
  return new Map(rows.map(({ id, due }) => [id, due]));
}
