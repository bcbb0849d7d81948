import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';

/** Validators of a complete visit, with which the crawler later checks for changes. */
export interface StoredSitemap {
  readonly kind: 'urlset' | 'index' | 'text' | 'csv' | 'rss' | 'atom' | 'json-feed' | 'robots';
  readonly urls: number;
  /** Of the bytes, as the crawler made it. */
  readonly fingerprint: string;
  readonly etag?: string;
  readonly lastModified?: string;
  readonly location?: string;
  /** Of an index: the sitemaps it lists, to be visited even when the index itself did not change. */
  readonly children?: readonly string[];
  /** Of the last transfer: bytes as sent, and milliseconds. */
  readonly bytes: number;
  readonly tookMs: number;
  /** From this moment on the same bytes say something else: a date in them lies ahead until then. */
  readonly validUntil?: number;
}

/** The crawl's verdict on a sitemap; the crawler's own verdicts have this shape. */
export type SitemapVerdict =
  | ({ readonly verdict: 'complete' } & StoredSitemap)
  /** `saved`: what a 304 saved; absent when the same bytes were transferred again. */
  | ({
      readonly verdict: 'not-modified';
      readonly saved?: { readonly bytes: number; readonly ms: number };
    } & StoredSitemap)
  /** Read under another name in the same crawl. */
  | { readonly verdict: 'duplicate'; readonly sameAs: string }
  | { readonly verdict: 'incomplete'; readonly code: string; readonly message: string };

/** The stored result of a sitemap's last complete visit in the run's scope; undefined without one that still holds. */
export async function getStoredSitemap(
  ledger: Ledger,
  run: RunId,
  sitemap: string,
): Promise<StoredSitemap | undefined> {
  const { watch_id, scope } = await getRun(ledger.db, run);
  const row = await ledger.db.get(sql<{ known: string }>`
    SELECT known FROM sitemaps
    WHERE watch_id = ${watch_id} AND url = ${sitemap} AND scope = ${scope} AND known IS NOT NULL`);
  if (row === undefined) return undefined;
  const known = JSON.parse(row.known) as StoredSitemap;
  return known.validUntil !== undefined && known.validUntil <= ledger.now() ? undefined : known;
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

/** What 304s saved a run: sitemaps that were not transferred, and the size and time of their last transfers. */
export async function sumSavedTransfers(
  db: Queryable,
  runId: number,
): Promise<{ readonly sitemaps: number; readonly bytes: number; readonly ms: number }> {
  const [sums] = await db.all(selectSavedTransfers([runId]));
  return { sitemaps: sums?.sitemaps ?? 0, bytes: sums?.bytes ?? 0, ms: sums?.ms ?? 0 };
}

interface SavedTransfers {
  readonly run_id: number;
  readonly sitemaps: number;
  readonly bytes: number;
  readonly ms: number;
}

/** The same for many runs. Uses the primary key of run_sitemaps. */
export const selectSavedTransfers = (runs: readonly number[]): Query<SavedTransfers> => {
  const ids = toRows(
    { id: 'bigint' },
    runs.map((id): Row => [id]),
  );
  return sql<SavedTransfers>`
    SELECT run_id, count(saved_bytes) AS sitemaps, coalesce(sum(saved_bytes), 0) AS bytes, coalesce(sum(saved_ms), 0) AS ms
    FROM run_sitemaps WHERE run_id IN (SELECT id FROM ${ids} AS r) GROUP BY run_id`;
};
