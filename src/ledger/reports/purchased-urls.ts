import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import type { ForgottenUrl } from '../forgotten/forgotten-url.ts';
import type { LedgerUrlState } from '../url-state.ts';

/** A URL that was bought, or that a batch is about to buy. */
export interface PurchasedUrl {
  readonly id: number;
  readonly watch: WatchId;
  readonly account: AccountId;
  /** A digest where the address is forgotten. */
  readonly url: Url | ForgottenUrl;
  readonly state: LedgerUrlState;
  readonly generation: number;
  /** In a row, since the last that was completed. */
  readonly failures: number;
  /** Null until a batch with it was accepted. */
  readonly bought_at: number | null;
  /** Null too where `courier recover` found the last purchase: the service does not say which version a job bought. */
  readonly bought_version: Version | null;
}

const PAGE = 5_000;

/** Every URL that was planned at least once, a page at a time. Reads along the primary key. */
export async function* eachPurchasedPage(
  db: Queryable,
  watches: readonly WatchId[],
): AsyncGenerator<readonly PurchasedUrl[]> {
  const wanted = new Set(watches);
  for (let after = 0; ; ) {
    const page = await db.all(selectPage(after));
    yield page.filter(({ watch }) => wanted.size === 0 || wanted.has(watch));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

const selectPage = (after: number): Query<PurchasedUrl> => sql<PurchasedUrl>`
  SELECT u.id, w.name AS watch, w.account_id AS account, u.url, u.state, u.generation, u.failures, u.bought_at,
    CASE WHEN u.versions_bought_until >= u.bought_at THEN NULL ELSE u.bought_version END AS bought_version
  FROM urls AS u JOIN watches AS w ON w.id = u.watch_id
  WHERE u.id > ${after} AND u.generation > 0 ORDER BY u.id LIMIT ${PAGE}`;
