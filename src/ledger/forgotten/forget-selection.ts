import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { canonicalUrl } from '../../submission/canonical-url.ts';
import type { WatchId } from '../../submission/ids.ts';
import { compileHosts } from '../../url/hosts.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ledger } from '../open-ledger.ts';
import { toUrlKey } from '../pages/fingerprint.ts';

/** Which pages to forget. */
export type ForgetSelection =
  | { readonly kind: 'watch'; readonly watch: WatchId }
  /** As in the configuration: `shop.example`, `shop.example:8443` or `*.shop.example`. */
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'urls'; readonly urls: ReadonlySet<Url> };

export interface Candidate {
  readonly id: number;
  readonly watch_id: number;
  readonly url: Url;
  readonly gone_run: number | null;
}

/** URLs of one transaction: about a hundredth of a second on SQLite, where writers take turns. */
export const FORGET_PAGE = 500;
const SCAN_PAGE = 5_000;

/**
 * The selected rows that still have their addresses, some hundred at a time. Rows may be changed while they are read.
 * Reads along the primary key, or by urls_by_fp where URLs are named.
 */
export async function* eachCandidatePage(
  ledger: Ledger,
  selection: ForgetSelection,
): AsyncGenerator<readonly Candidate[]> {
  if (selection.kind === 'urls') {
    yield* eachNamedPage(ledger, [...selection.urls]);
    return;
  }
  const isOnHost = selection.kind === 'host' ? compileHosts([selection.host]) : () => true;
  const which = selection.kind === 'watch' ? sql`w.name = ${selection.watch}` : sql`1 = 1`;
  let waiting: Candidate[] = [];
  for (let after = 0; ; ) {
    const page: readonly Candidate[] = await ledger.db.all(selectScanned(after, which));
    waiting.push(...page.filter(({ url }) => selection.kind === 'watch' || isOnHost(new URL(url))));
    for (; waiting.length >= FORGET_PAGE; waiting = waiting.slice(FORGET_PAGE)) yield waiting.slice(0, FORGET_PAGE);
    const last = page.at(-1);
    if (last === undefined || page.length < SCAN_PAGE) break;
    after = last.id;
  }
  if (waiting.length > 0) yield waiting;
}

async function* eachNamedPage({ db, seed }: Ledger, urls: readonly Url[]): AsyncGenerator<readonly Candidate[]> {
  for (let from = 0; from < urls.length; from += FORGET_PAGE) {
    const rows = urls.slice(from, from + FORGET_PAGE).map((url): Row => [toUrlKey(url, seed), url]);
    const page = await db.all(selectNamed(rows));
    if (page.length > 0) yield page;
  }
}

/** The primary key alone orders the page: a watch's rows are found among those of the others. */
export const selectScanned = (after: number, which: Query): Query<Candidate> => sql<Candidate>`
  SELECT u.id, u.watch_id, u.url, u.gone_run FROM urls AS u JOIN watches AS w ON w.id = u.watch_id
  WHERE u.id > ${after} AND u.forgotten_at IS NULL AND ${which} ORDER BY u.id LIMIT ${SCAN_PAGE}`;

export const selectNamed = (rows: readonly Row[]): Query<Candidate> => sql<Candidate>`
  SELECT u.id, u.watch_id, u.url, u.gone_run FROM ${toRows({ fp: 'bigint', url: 'text' }, rows)} AS r CROSS JOIN urls AS u
  WHERE u.fp = r.fp AND u.url = r.url ORDER BY u.id`;

/**
 * Whether an address in a text is selected, however a service spells it. Of a watch every address is: only texts that
 * belong to it are read.
 */
export function compileSelection(selection: ForgetSelection): (address: string) => boolean {
  switch (selection.kind) {
    case 'watch':
      return () => true;
    case 'host': {
      const isOnHost = compileHosts([selection.host]);
      return (address) => {
        const url = URL.parse(address);
        return url !== null && isOnHost(url);
      };
    }
    case 'urls': {
      const canonical = new Set([...selection.urls].map(canonicalUrl));
      return (address) => canonical.has(canonicalUrl(address));
    }
  }
}

/** What keeps a page in the ledger; null when it can be forgotten. */
export type Obstacle =
  /** A batch without its end, of any watch: planned, in flight, in doubt, in review, or with an open job. */
  | { readonly kind: 'batch'; readonly batch: number }
  /** An index check without its end. */
  | { readonly kind: 'check'; readonly watch: WatchId }
  /** A run of its watch that has not ended. */
  | { readonly kind: 'run'; readonly watch: WatchId }
  /** A watch that lists it: `own`, that of the row, or another one. */
  | { readonly kind: 'listed'; readonly watch: WatchId; readonly own: boolean };

/** A run that did nothing for this long was given up: nothing ends the run of a watch that was removed. */
const RUN_STALE_MS = 86_400_000;

interface StandingRow {
  readonly id: number;
  readonly watch: WatchId;
  readonly has_run: number;
  readonly batch: number | null;
  readonly in_check: number;
  readonly listed_by: WatchId | null;
}

/** The obstacle of each of these rows. Read it once more in the transaction that forgets them. */
export async function findObstacles(
  db: Queryable,
  ids: readonly number[],
  configured: readonly WatchId[],
  now: number,
): Promise<ReadonlyMap<number, Obstacle | null>> {
  const rows = await db.all(selectStanding(ids, configured, now));
  return new Map(rows.map((row) => [row.id, toObstacle(row)]));
}

function toObstacle({ watch, has_run, batch, in_check, listed_by }: StandingRow): Obstacle | null {
  if (batch !== null) return { kind: 'batch', batch };
  if (in_check === 1) return { kind: 'check', watch };
  if (has_run === 1) return { kind: 'run', watch };
  return listed_by === null ? null : { kind: 'listed', watch: listed_by, own: listed_by === watch };
}

/**
 * Uses the primary key, batch_urls_once, runs_open and urls_by_fp. A row is listed where it is not gone and its watch is
 * configured or has a run under way, which the configuration of another process may know.
 */
export const selectStanding = (
  ids: readonly number[],
  configured: readonly WatchId[],
  now: number,
): Query<StandingRow> => {
  const isUnderWay = sql`r.ended_at IS NULL AND r.touched_at >= ${now - RUN_STALE_MS}`;
  return sql<StandingRow>`
  SELECT u.id, w.name AS watch,
    CASE WHEN EXISTS (SELECT 1 FROM runs AS r WHERE r.watch_id = u.watch_id AND ${isUnderWay}) THEN 1 ELSE 0 END AS has_run,
    (SELECT min(b.id) FROM urls AS o JOIN batch_urls AS m ON m.url_id = o.id JOIN batches AS b ON b.id = m.batch_id
      WHERE o.fp = u.fp AND o.url = u.url AND (b.in_doubt_since IS NOT NULL OR b.settled_at IS NULL
        OR b.state NOT IN ('accepted', 'refused', 'cancelled'))) AS batch,
    CASE WHEN EXISTS (SELECT 1 FROM check_queue AS q WHERE q.url_id = u.id AND q.check_id IS NOT NULL) THEN 1 ELSE 0 END
      AS in_check,
    (SELECT min(x.name) FROM urls AS o JOIN watches AS x ON x.id = o.watch_id
      WHERE o.fp = u.fp AND o.url = u.url AND o.gone_run IS NULL
        AND (x.name IN (SELECT name FROM ${toRows(
          { name: 'text' },
          configured.map((name): Row => [name]),
        )} AS c)
          OR EXISTS (SELECT 1 FROM runs AS r WHERE r.watch_id = x.id AND ${isUnderWay}))) AS listed_by
  FROM ${toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  )} AS k CROSS JOIN urls AS u JOIN watches AS w ON w.id = u.watch_id
  WHERE u.id = k.id AND u.forgotten_at IS NULL`;
};
