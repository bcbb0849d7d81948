import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

export interface SitemapProblem {
  readonly sitemap: string;
  readonly message: string;
}

/** The sitemaps that a run could not read to their end, with the reason of each. */
export async function listSitemapProblems(ledger: Ledger, run: RunId, limit: number): Promise<SitemapProblem[]> {
  return ledger.db.all(sql<SitemapProblem>`
    SELECT s.url AS sitemap, r.message
    FROM run_sitemaps AS r JOIN sitemaps AS s ON s.id = r.sitemap_id
    WHERE r.run_id = (SELECT id FROM runs WHERE name = ${run}) AND r.verdict = 'incomplete'
    ORDER BY s.id LIMIT ${limit}`);
}
