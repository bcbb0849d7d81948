import { type Query, sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';

/** The batch that this one is a part of, or itself. */
export const selectRoot = (id: BatchId) => sql<{ id: BatchId }>`
  WITH RECURSIVE up (id, parent_id) AS (
    SELECT id, parent_id FROM batches WHERE id = ${id}
    UNION ALL SELECT b.id, b.parent_id FROM batches AS b JOIN up ON b.id = up.parent_id)
  SELECT id FROM up WHERE parent_id IS NULL`;

/** A batch, its parts and their parts. */
export const selectFamily = (id: BatchId | Query) => sql<{ id: BatchId }>`
  WITH RECURSIVE down (id) AS (
    SELECT id FROM batches WHERE id = (${id})
    UNION ALL SELECT b.id FROM batches AS b JOIN down ON b.parent_id = down.id)
  SELECT id FROM down`;
