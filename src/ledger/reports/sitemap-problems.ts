import { eachText, sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

export interface SitemapProblem {
  readonly sitemap: string;
  readonly message: string;
}

/** The sitemaps that each run could not read to their end, with the reason of each, in one statement. */
export async function listSitemapProblemsOf(
  ledger: Ledger,
  runs: readonly RunId[],
  limit: number,
): Promise<ReadonlyMap<RunId, readonly SitemapProblem[]>> {
  if (runs.length === 0) return new Map();
  const rows = await ledger.db.all(sql<SitemapProblem & { run: RunId }>`
    SELECT run, sitemap, message FROM (
      SELECT r.name AS run, s.url AS sitemap, v.message, v.sitemap_id,
        row_number() OVER (PARTITION BY v.run_id ORDER BY v.sitemap_id) AS nr
      FROM runs AS r JOIN run_sitemaps AS v ON v.run_id = r.id JOIN sitemaps AS s ON s.id = v.sitemap_id
      WHERE r.name IN (SELECT value FROM ${eachText(runs)} AS names) AND v.verdict = 'incomplete') AS unread
    WHERE nr <= ${limit} ORDER BY run, sitemap_id`);
  return Map.groupBy(rows, ({ run }) => run);
}
