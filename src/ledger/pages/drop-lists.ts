import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { listKeys, unpackList } from './fingerprint-list.ts';

/** Candidates that are written in one turn of the event loop. */
const TURN = 2_000;

/** Gone candidates: the next complete run clears those that a sitemap still lists and marks the others gone. */
export async function addCandidates(tx: Queryable, watchId: number, fps: readonly bigint[]): Promise<void> {
  const columns = { watch_id: 'bigint', fp: 'bigint' } as const;
  for (let from = 0; from < fps.length; from += TURN) {
    const rows = fps.slice(from, from + TURN).map((fp): Row => [watchId, fp]);
    await insertRows(tx, 'gone_candidates', columns, rows, 'ON CONFLICT (watch_id, fp) DO NOTHING');
    await yieldToEventLoop();
  }
}

/**
 * Makes the next visits of sitemaps read them whole, whatever their validators say. What they listed becomes a gone candidate, so
 * that a page which is not listed any more by then is still found gone. `which` is a condition on the row `s` of a sitemap.
 */
export async function dropLists(tx: Queryable, which: Query): Promise<void> {
  const listed = await tx.all(sql<{ id: number; watch_id: number }>`
    SELECT s.id, s.watch_id FROM sitemaps AS s
    WHERE ${which} AND (s.known IS NOT NULL OR EXISTS (
      SELECT 1 FROM sitemap_snapshots AS p WHERE p.sitemap_id = s.id))`);
  for (const { id, watch_id } of listed) {
    const kept = await tx.get(sql<{ entries: Uint8Array }>`
      SELECT entries FROM sitemap_snapshots WHERE sitemap_id = ${id}`);
    await addCandidates(tx, watch_id, listKeys(unpackList(kept?.entries ?? new Uint8Array())));
    await tx.run(sql`DELETE FROM sitemap_snapshots WHERE sitemap_id = ${id}`);
    await tx.run(sql`UPDATE sitemaps SET known = NULL, urls = 0 WHERE id = ${id}`);
  }
}

/**
 * Call it before rows that a sitemap lists leave their watch or lose their addresses. Otherwise its lists would name pages without
 * rows, and an entry that stands where it stood last time makes none: no change of such a page would ever be found.
 */
export async function leaveLists(tx: Queryable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  );
  await dropLists(tx, sql`s.watch_id IN (SELECT u.watch_id FROM ${rows} AS r CROSS JOIN urls AS u WHERE u.id = r.id)`);
  await tx.run(sql`
    DELETE FROM gone_candidates WHERE (watch_id, fp) IN (
      SELECT u.watch_id, u.fp FROM ${rows} AS r CROSS JOIN urls AS u WHERE u.id = r.id)`);
}
