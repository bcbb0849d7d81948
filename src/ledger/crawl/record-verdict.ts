import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { ScopeRule } from '../../url/scope.ts';
import { addCandidates } from '../pages/drop-lists.ts';
import type { RunRow } from '../runs/runs.ts';
import type { EntrySource } from './found.ts';
import type { SitemapReading } from './read-sitemap.ts';
import type { SitemapVerdict, StoredSitemap } from './sitemaps.ts';

/** The result of reading one sitemap in one run. */
export interface SitemapRecord {
  readonly place: EntrySource;
  readonly reading: SitemapReading;
  readonly skips: ReadonlyMap<string, { readonly urls: number; readonly sample: readonly string[] }>;
  readonly new: number;
  readonly changed: number;
  readonly matchedRules: readonly ScopeRule[];
}

/** Records the end of a sitemap's visit, in the transaction that writes its last entries. */
export async function recordVerdict(
  tx: Queryable,
  now: number,
  run: RunRow,
  visit: SitemapRecord,
  verdict: SitemapVerdict,
): Promise<void> {
  const { sitemapId } = visit.place;
  let urls = visit.reading.urls;
  let problem: { code: string; message: string } | null = null;
  switch (verdict.verdict) {
    case 'complete':
      await replaceList(tx, visit);
      await saveSitemap(tx, now, run, visit, toKnownSitemap(verdict, visit.reading.aheadUntil));
      break;
    case 'duplicate':
      await replaceList(tx, visit);
      await saveSitemap(tx, now, run, visit, null);
      break;
    case 'not-modified': {
      const row = await tx.get(sql<{ urls: number; known: string | null }>`
        SELECT urls, known FROM sitemaps WHERE id = ${sitemapId}`);
      urls = row?.urls ?? 0;
      await tx.run(sql`UPDATE sitemaps SET complete_at = ${now}, baseline = 0 WHERE id = ${sitemapId}`);
      // The same bytes were transferred, perhaps with other validators. A 304 brings nothing that is not kept.
      if (verdict.saved === undefined) {
        const { validUntil = null } = JSON.parse(row?.known ?? '{}') as Partial<StoredSitemap>;
        const known = JSON.stringify(toKnownSitemap(verdict, validUntil));
        await tx.run(sql`UPDATE sitemaps SET known = ${known} WHERE id = ${sitemapId}`);
      }
      break;
    }
    case 'incomplete':
      problem = verdict;
      // No complete visit lists these: if the page disappears before one does, only this record makes it gone.
      await addCandidates(tx, visit.place.watchId, visit.reading.unlisted());
      await keepShown(tx, sitemapId, visit.reading);
  }
  const saved = verdict.verdict === 'not-modified' ? verdict.saved : undefined;
  await tx.run(sql`
    INSERT INTO run_sitemaps (run_id, sitemap_id, verdict, code, message, urls, new_urls, changed, at, saved_bytes,
      saved_ms)
    VALUES (${run.id}, ${sitemapId}, ${verdict.verdict}, ${problem?.code ?? null}, ${problem?.message ?? null},
      ${urls}, ${visit.new}, ${visit.changed}, ${now}, ${saved?.bytes ?? null}, ${saved?.ms ?? null})
    ON CONFLICT (run_id, sitemap_id) DO UPDATE SET verdict = excluded.verdict, code = excluded.code,
      message = excluded.message, urls = excluded.urls, at = excluded.at, saved_bytes = excluded.saved_bytes,
      saved_ms = excluded.saved_ms,
      new_urls = CASE WHEN excluded.new_urls > run_sitemaps.new_urls
        THEN excluded.new_urls ELSE run_sitemaps.new_urls END,
      changed = CASE WHEN excluded.changed > run_sitemaps.changed THEN excluded.changed ELSE run_sitemaps.changed END`);
  await recordSkips(tx, run, visit);
  await tx.run(sql`UPDATE runs SET touched_at = ${now} WHERE id = ${run.id}`);
}

/**
 * A visit that is not complete has shown versions that the site may take back: the next one reads the sitemap whatever its
 * validators say, and compares with these.
 */
export async function keepShown(tx: Queryable, sitemapId: number, reading: SitemapReading): Promise<void> {
  const shown = reading.shown();
  if (shown !== null)
    await tx.run(sql`UPDATE sitemap_snapshots SET entries = ${shown} WHERE sitemap_id = ${sitemapId}`);
  if (shown !== null || reading.unlisted().length > 0)
    await tx.run(sql`UPDATE sitemaps SET known = NULL WHERE id = ${sitemapId} AND known IS NOT NULL`);
}

/** Only a sitemap read to its end shows what disappeared: gone candidates, until the run's diff decides. */
async function replaceList(tx: Queryable, { place, reading }: SitemapRecord): Promise<void> {
  const snapshot = reading.snapshot();
  if (snapshot === null) return;
  await tx.run(sql`
    INSERT INTO sitemap_snapshots (sitemap_id, entries) VALUES (${place.sitemapId}, ${snapshot})
    ON CONFLICT (sitemap_id) DO UPDATE SET entries = excluded.entries`);
  await addCandidates(tx, place.watchId, reading.missing());
}

async function saveSitemap(
  tx: Queryable,
  now: number,
  run: RunRow,
  { place, reading, matchedRules }: SitemapRecord,
  known: StoredSitemap | null,
): Promise<void> {
  await tx.run(sql`
    UPDATE sitemaps SET known = ${known === null ? null : JSON.stringify(known)}, scope = ${run.scope},
      urls = ${reading.urls}, baseline = 0, complete_at = ${now}, matched_rules = ${JSON.stringify(matchedRules)}
    WHERE id = ${place.sitemapId}`);
  if (!place.adopt) return;
  // Children of an adopted index are adopted too, even if one can only be read in a later run.
  const listed = (known?.children ?? []).map((child): Row => [place.watchId, child, 1]);
  const columns = { watch_id: 'bigint', url: 'text', baseline: 'bigint' } as const;
  await insertRows(tx, 'sitemaps', columns, listed, 'ON CONFLICT (watch_id, url) DO NOTHING');
}

function toKnownSitemap(verdict: StoredSitemap, validUntil: number | null): StoredSitemap {
  const { kind, urls, fingerprint, etag, lastModified, location, children, bytes, tookMs } = verdict;
  return {
    kind,
    urls,
    fingerprint,
    bytes,
    tookMs,
    ...(validUntil === null ? {} : { validUntil }),
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(location === undefined ? {} : { location }),
    ...(children === undefined ? {} : { children }),
  };
}

async function recordSkips(tx: Queryable, run: RunRow, { place, skips }: SitemapRecord): Promise<void> {
  const columns = { run_id: 'bigint', sitemap_id: 'bigint', reason: 'text', urls: 'bigint', sample: 'text' } as const;
  const rows = [...skips].map(([reason, { urls, sample }]): Row => {
    return [run.id, place.sitemapId, reason, urls, JSON.stringify(sample)];
  });
  await insertRows(
    tx,
    'run_skips',
    columns,
    rows,
    'ON CONFLICT (run_id, sitemap_id, reason) DO UPDATE SET urls = excluded.urls, sample = excluded.sample',
  );
}
