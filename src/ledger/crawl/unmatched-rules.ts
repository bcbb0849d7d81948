import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { ScopeRule } from '../../url/scope.ts';
import type { Ledger } from '../open-ledger.ts';
import { getOpenRun } from '../runs/runs.ts';

/**
 * Records which of the watch's rules matched no URL of any sitemap of the run. Call it after a complete crawl only. A
 * sitemap that did not change counts as when it was last read. Records none where the sitemaps list no URL at all.
 */
export async function recordUnmatchedRules(
  ledger: Ledger,
  run: RunId,
  rules: readonly ScopeRule[],
): Promise<readonly ScopeRule[]> {
  return ledger.db.tx(async (tx) => {
    const { id } = await getOpenRun(tx, run);
    const rows = await tx.all(sql<{ matched_rules: string }>`
      SELECT DISTINCT s.matched_rules FROM run_sitemaps AS r JOIN sitemaps AS s ON s.id = r.sitemap_id
      WHERE r.run_id = ${id}`);
    const { listed } = await tx.one(sql<{ listed: number }>`
      SELECT CAST((SELECT coalesce(sum(urls), 0) FROM run_sitemaps WHERE run_id = ${id})
        + (SELECT coalesce(sum(urls), 0) FROM run_skips WHERE run_id = ${id}) AS BIGINT) AS listed`);
    const matched = new Set(rows.flatMap((row) => JSON.parse(row.matched_rules) as string[]));
    const unmatched = listed > 0 ? rules.filter((rule) => !matched.has(rule)) : [];
    await tx.run(sql`UPDATE runs SET unmatched_rules = ${JSON.stringify(unmatched)} WHERE id = ${id}`);
    return unmatched;
  });
}
