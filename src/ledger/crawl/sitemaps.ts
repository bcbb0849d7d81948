import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';

/** Validators of a complete visit, with which the crawler later checks for changes. */
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

/** The crawl's verdict on a sitemap; the crawler's own verdicts have this shape. */
export type SitemapVerdict =
  | ({ readonly verdict: 'complete' | 'not-modified' } & StoredSitemap)
  /** Read under another name in the same crawl. */
  | { readonly verdict: 'duplicate'; readonly sameAs: string }
  | { readonly verdict: 'incomplete'; readonly code: string; readonly message: string };

/** The stored result of a sitemap's last complete visit in the run's scope; undefined without one. */
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
 * Sitemaps that this run has already read to the end: a retry after a killed worker skips them, but still visits the
 * children of an index.
 */
export async function listFinishedSitemaps(ledger: Ledger, run: RunId): Promise<Map<string, StoredSitemap>> {
  const { id } = await getRun(ledger.db, run);
  const rows = await ledger.db.all(sql<{ url: string; known: string }>`
    SELECT s.url, s.known FROM run_sitemaps AS r JOIN sitemaps AS s ON s.id = r.sitemap_id
    WHERE r.run_id = ${id} AND r.verdict IN ('complete', 'not-modified') AND s.known IS NOT NULL`);
  return new Map(rows.map(({ url, known }) => [url, JSON.parse(known) as StoredSitemap]));
}
