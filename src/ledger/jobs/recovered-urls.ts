import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { type ForgottenUrl, isForgottenUrl } from '../forgotten/forgotten-url.ts';
import { listStoredForms, toStoredKey } from '../forgotten/stored-forms.ts';
import type { Ledger } from '../open-ledger.ts';

/** Whose URLs they are. */
export interface RecoveredBy {
  readonly watch: WatchId;
  readonly watchId: number;
  readonly account: AccountId;
}

/** The run that stands for the recovery of a watch. Its URLs are gone until a crawl finds them in a sitemap. */
export const toRecoveryRun = (watch: WatchId): RunId => `recover/${watch}` as RunId;

/**
 * The rows of URLs that were bought outside of this ledger, by their places in the list; created where there is none. A row
 * that is there under another spelling is that page: services return URLs with or without the slash that ends their path. A
 * forgotten page is found by its digest, and its address is not written again.
 */
export async function ensureRecoveredUrls(
  tx: Queryable,
  ledger: Ledger,
  { watch, watchId, account }: RecoveredBy,
  urls: readonly { readonly url: Url | ForgottenUrl }[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const { seed } = ledger;
  const spelled = urls.flatMap(({ url }, at) =>
    listStoredForms(url).map((form, rank): Row => [at, rank, toStoredKey(form, seed), form]),
  );
  const columns = { at: 'bigint', rank: 'bigint', fp: 'bigint', url: 'text' } as const;
  const existing = await tx.all(sql<{ at: number; id: number; own: number; url: Url | ForgottenUrl }>`
    SELECT r.at, u.id, u.url, CASE WHEN u.watch_id = ${watchId} THEN 1 ELSE 0 END AS own
    FROM ${toRows(columns, spelled)} AS r CROSS JOIN urls AS u
    WHERE u.fp = r.fp AND u.url = r.url AND (u.watch_id = ${watchId} OR u.forgotten_at IS NOT NULL)
    ORDER BY r.at, r.rank DESC`);
  const known = new Map(existing.flatMap(({ at, id, own }) => (own === 1 ? [[at, id] as const] : [])));
  // A page that is forgotten under another watch stays forgotten under this one.
  const forgotten = new Map(existing.flatMap(({ at, url, own }) => (own === 1 ? [] : [[at, url] as const])));
  const missing = urls.flatMap(({ url }, at) => (known.has(at) ? [] : [{ url: forgotten.get(at) ?? url, at }]));
  if (missing.length > 0) {
    const run = await ensureRecoveryRun(tx, watch, watchId, account, now);
    const sitemap = await ensureHistorySitemap(tx, watchId);
    const rows = missing.map(({ url }): Row => {
      const forgottenAt = isForgottenUrl(url) ? now : null;
      return [toStoredKey(url, seed), watchId, sitemap, url, run, run, 'known', forgottenAt];
    });
    await insertRows(tx, 'urls', URL_COLUMNS, rows, 'ON CONFLICT (fp, watch_id) DO NOTHING');
    const keys = missing.map(({ url, at }): Row => [at, toStoredKey(url, seed)]);
    const added = await tx.all(sql<{ at: number; id: number }>`
      SELECT r.at, u.id FROM ${toRows({ at: 'bigint', fp: 'bigint' }, keys)} AS r CROSS JOIN urls AS u
      WHERE u.fp = r.fp AND u.watch_id = ${watchId}`);
    for (const { at, id } of added) known.set(at, id);
  }
  return known;
}

const URL_COLUMNS = {
  fp: 'bigint',
  watch_id: 'bigint',
  sitemap_id: 'bigint',
  url: 'text',
  first_run: 'bigint',
  gone_run: 'bigint',
  state: 'text',
  forgotten_at: 'bigint',
} as const;

async function ensureRecoveryRun(
  tx: Queryable,
  watch: WatchId,
  watchId: number,
  account: AccountId,
  now: number,
): Promise<number> {
  const run = toRecoveryRun(watch);
  await tx.run(sql`
    INSERT INTO runs (name, watch_id, account_id, scope, baseline, first_run, started_at, touched_at, ended_at, end_state)
    VALUES (${run}, ${watchId}, ${account}, '', 0, 0, ${now}, ${now}, ${now}, 'recovered')
    ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at`);
  return (await tx.one(sql<{ id: number }>`SELECT id FROM runs WHERE name = ${run}`)).id;
}

async function ensureHistorySitemap(tx: Queryable, watchId: number): Promise<number> {
  const source = 'history of the service';
  await tx.run(sql`
    INSERT INTO sitemaps (watch_id, url) VALUES (${watchId}, ${source}) ON CONFLICT (watch_id, url) DO NOTHING`);
  return (await tx.one(sql<{ id: number }>`SELECT id FROM sitemaps WHERE watch_id = ${watchId} AND url = ${source}`))
    .id;
}
