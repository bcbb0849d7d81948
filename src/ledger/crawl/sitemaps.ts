import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';

/** What a complete visit leaves behind, for the crawler to ask next time whether anything changed. */
export interface StoredSitemap {
  readonly kind: 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'robots';
  readonly urls: number;
  /** Of the bytes, as the crawler made it. */
  readonly fingerprint: string;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly location?: string;
  /** Of an index: the sitemaps it lists, to be visited even when the index itself did not change. */
  readonly children?: readonly string[];
}

/** What the crawl says of a sitemap when it is done with it; the crawler's own verdicts have this shape. */
export type SitemapVerdict =
  | ({ readonly verdict: 'complete' | 'not-modified' } & StoredSitemap)
  /** Read under another name in the same crawl. */
  | { readonly verdict: 'duplicate'; readonly sameAs: string }
  | { readonly verdict: 'incomplete'; readonly code: string; readonly message: string };

/** What is known of a sitemap from its last complete visit under the run's scope; undefined when there was none. */
export async function getStoredSitemap(
  ledger: Ledger,
  run: RunId,
  sitemap: string,
): Promise<StoredSitemap | undefined> {
  const { watch_id, scope } = await getRun(ledger.db, run);
  const row = await ledger.db.get(sql<{ known: string }>`
    SELECT known FROM sitemaps
    WHERE watch_id = ${watch_id} AND url = ${sitemap} AND scope = ${scope} AND known IS NOT NULL`);
  return row === undefined ? undefined : (JSON.parse(row.known) as StoredSitemap);
}

/**
 * Sitemaps that this run has read to the end already: a retry after a killed worker passes over them, but still goes
 * to the children of an index.
 */
export async function listFinishedSitemaps(ledger: Ledger, run: RunId): Promise<Map<string, StoredSitemap>> {
  const { id } = await getRun(ledger.db, run);
  const rows = await ledger.db.all(sql<{ url: string; known: string }>`
    SELECT s.url, s.known FROM run_sitemaps AS r JOIN sitemaps AS s ON s.id = r.sitemap_id
    WHERE r.run_id = ${id} AND r.verdict IN ('complete', 'not-modified') AND s.known IS NOT NULL`);
  return new Map(rows.map(({ url, known }) => [url, JSON.parse(known) as StoredSitemap]));
}
