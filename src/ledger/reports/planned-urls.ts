import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import type { DueReason } from '../pages/due.ts';
import type { RunRow } from '../runs/runs.ts';

/** A URL that a plan buys, or that it holds back. */
export interface PlannedUrl {
  readonly url: Url;
  readonly due: DueReason;
  /** 1 for the first purchase. */
  readonly generation: number;
  readonly version: Version | null;
  /** Why it is not bought; null when it is. */
  readonly heldReason: string | null;
}

type PlannedRow = Omit<PlannedUrl, 'heldReason'>;

/** The first URLs of a run's plan, in the order in which they are sent. */
export async function listFirstPlanned(db: Queryable, run: RunId, limit: number): Promise<Url[]> {
  const rows = await db.all(sql<{ url: Url }>`
    SELECT u.url FROM batches AS b JOIN batch_urls AS m ON m.batch_id = b.id JOIN urls AS u ON u.id = m.url_id
    WHERE b.run_id = (SELECT id FROM runs WHERE name = ${run}) ORDER BY b.id, m.position LIMIT ${limit}`);
  return rows.map(({ url }) => url);
}

/** The URLs of a run's plan in the order in which they are sent, then those that a cap holds back. Uses urls_due. */
export async function listPlannedUrls(db: Queryable, run: Pick<RunRow, 'id' | 'watch_id'>): Promise<PlannedUrl[]> {
  const planned = await db.all(sql<PlannedRow>`
    SELECT u.url, m.due, m.generation, u.version
    FROM batches AS b JOIN batch_urls AS m ON m.batch_id = b.id JOIN urls AS u ON u.id = m.url_id
    WHERE b.run_id = ${run.id} ORDER BY b.id, m.position`);
  const held = await db.all(sql<PlannedRow & StoredReason>`
    SELECT url, due, generation + 1 AS generation, version, reason_code, reason_params FROM urls
    WHERE watch_id = ${run.watch_id} AND due IS NOT NULL AND state = 'held' AND gone_run IS NULL
      AND due <> 'released'
    ORDER BY url`);
  return [
    ...planned.map((row) => ({ ...row, heldReason: null })),
    ...held.map(({ url, due, generation, version, ...reason }) => ({
      url,
      due,
      generation,
      version,
      heldReason: renderStoredReason(reason) ?? 'held',
    })),
  ];
}
