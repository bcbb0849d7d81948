import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ledger } from '../open-ledger.ts';
import { dropLists } from '../pages/drop-lists.ts';
import { compileSelection, type ForgetSelection } from './forget-selection.ts';
import { toForgottenUrl } from './forgotten-url.ts';

/**
 * Replaces the addresses of selected sitemaps by their digests, of watches that are not configured: those of a configured
 * watch are in the configuration. Returns their number.
 */
export async function forgetSitemaps(
  { db }: Ledger,
  selection: ForgetSelection,
  configured: readonly WatchId[],
): Promise<number> {
  const isSelected = compileSelection(selection);
  const which = selection.kind === 'watch' ? sql`w.name = ${selection.watch}` : sql`1 = 1`;
  const rows = await db.all(sql<{ id: number; url: Url; watch: WatchId }>`
    SELECT s.id, s.url, w.name AS watch FROM sitemaps AS s JOIN watches AS w ON w.id = s.watch_id
    WHERE s.url LIKE 'http%' AND ${which}`);
  const names = new Set(configured);
  const sitemaps = rows.filter(({ url, watch }) => !names.has(watch) && isSelected(url));
  const forgotten = sitemaps.map(({ id, url }): Row => [id, toForgottenUrl(url)]);
  await db.tx(async (tx) => {
    await dropLists(tx, sql`s.id IN (SELECT id FROM ${toRows({ id: 'bigint', url: 'text' }, forgotten)} AS r)`);
    await tx.run(sql`
      UPDATE sitemaps SET url = r.url, matched_rules = NULL
      FROM ${toRows({ id: 'bigint', url: 'text' }, forgotten)} AS r WHERE sitemaps.id = r.id`);
    if (selection.kind === 'watch') {
      await tx.run(sql`
        UPDATE runs SET unmatched_rules = NULL
        WHERE watch_id = (SELECT id FROM watches WHERE name = ${selection.watch}) AND unmatched_rules IS NOT NULL`);
    }
  });
  return sitemaps.length;
}
