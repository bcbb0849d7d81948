import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ledger } from '../open-ledger.ts';

export type IndexResult = 'found' | 'not-found' | 'unknown';

/** What the last index check of a URL said. */
export interface IndexState {
  readonly watch: WatchId;
  readonly url: Url;
  /** Null until it was checked. */
  readonly result: IndexResult | null;
  readonly checkedAt: number | null;
  readonly completedAt: number;
  /** Checks since it was last completed, and how many of them in a row did not find it. */
  readonly checks: number;
  readonly misses: number;
  /** Null: not checked again. */
  readonly nextCheckAt: number | null;
  /** Whether it is in no sitemap any more. */
  readonly gone: boolean;
}

type IndexStateRow = Omit<IndexState, 'result' | 'gone'> & {
  readonly id: number;
  readonly found_at: number | null;
  readonly gone_run: number | null;
};

const PAGE = 1_000;

/** The completed URLs of a watch with their index state, in the order in which the ledger met them, page by page. */
export async function* eachIndexState(ledger: Ledger, watch: WatchId): AsyncGenerator<IndexState> {
  for (let after = 0; ; ) {
    const rows: IndexStateRow[] = await ledger.db.all(sql<IndexStateRow>`
      SELECT u.id, w.name AS watch, u.url, q.found_at, q.last_check_at AS "checkedAt", q.completed_at AS "completedAt",
        q.checks, q.misses, q.next_at AS "nextCheckAt", u.gone_run
      FROM check_queue AS q JOIN urls AS u ON u.id = q.url_id JOIN watches AS w ON w.id = q.watch_id
      WHERE w.name = ${watch} AND q.url_id > ${after} ORDER BY q.url_id LIMIT ${PAGE}`);
    for (const row of rows) yield toIndexState(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

const toIndexState = ({ id: _, found_at, gone_run, ...row }: IndexStateRow): IndexState => ({
  ...row,
  result: toResult(found_at, row),
  gone: gone_run !== null,
});

function toResult(foundAt: number | null, { checkedAt, misses }: Pick<IndexState, 'checkedAt' | 'misses'>) {
  if (checkedAt === null) return null;
  if (foundAt !== null) return 'found';
  return misses > 0 ? 'not-found' : 'unknown';
}
