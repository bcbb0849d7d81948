import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { readInOrder } from '../../database/read-in-order.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { dialectal, type Query, raw, sql } from '../../database/sql.ts';
import type { StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import type { LedgerUrlState } from '../url-state.ts';

/** Why a URL is to be bought. */
export type DueReason =
  /** Never seen before. */
  | 'new'
  /** Its version is later than what was bought. */
  | 'changed'
  /** Its last generation failed. */
  | 'retry'
  /** Repeatedly checked and never found. */
  | 'not-found'
  /** Released on request. */
  | 'released';

export type DueCounts = Readonly<Record<DueReason, number>>;

export const NO_COUNTS = { new: 0, changed: 0, retry: 0, 'not-found': 0, released: 0 } as const satisfies DueCounts;

export const addCounts = (a: DueCounts, b: DueCounts): DueCounts => ({
  new: a.new + b.new,
  changed: a.changed + b.changed,
  retry: a.retry + b.retry,
  'not-found': a['not-found'] + b['not-found'],
  released: a.released + b.released,
});

/** A URL with a reason to be bought, now or later. */
export interface DueRow extends StoredReason {
  readonly id: number;
  readonly url: Url;
  readonly first_run: number;
  /** The latest that a sitemap showed. */
  readonly version: Version | null;
  readonly gone_run: number | null;
  readonly state: LedgerUrlState;
  readonly due: DueReason;
  readonly due_at: number | null;
  readonly guard_passed: number;
  readonly generation: number;
  readonly bought_at: number | null;
  /** The latest that was bought or adopted. */
  readonly bought_version: Version | null;
  /** When the last job that `courier recover` took in for it was created. */
  readonly versions_bought_until: number | null;
}

/** Whether it may be bought now. A URL that a batch holds already waits for that batch. */
export function isDueNow({ gone_run, due_at, state }: DueRow, now: number): boolean {
  const waits = state === 'planned' || state === 'submitted' || state === 'quarantined';
  return gone_run === null && (due_at === null || due_at <= now) && !waits;
}

/** The byte order on both databases, whatever the locale of the server. The index urls_due has it. */
export const BY_URL: Query = sql`${dialectal(sql`url`, sql`url COLLATE "C"`)}`;

/** Small enough that reading or writing a page holds the event loop for a few ten milliseconds. */
export const DUE_PAGE = 5_000;

/**
 * Every URL of a watch that has a reason to be bought, in the order of the URLs, a page at a time. The event loop runs
 * between two pages: heartbeats go out however many URLs are due. Rows may be changed while the pages are read.
 * Uses urls_due.
 */
export async function* eachDuePage(db: Queryable, watchId: number): AsyncGenerator<readonly DueRow[]> {
  for (let after = ''; ; ) {
    const page = await readDuePage(db, watchId, after);
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < DUE_PAGE) return;
    after = last.url;
    await yieldToEventLoop();
  }
}

/** The URLs that follow. Uses urls_due. */
export const readDuePage = (db: Queryable, watchId: number, after: string): Promise<DueRow[]> =>
  readInOrder(db, selectDuePage(watchId, after));

const DUE_COLUMNS = raw(`id, url, first_run, version, gone_run, state, reason_code, reason_params, due, due_at,
    guard_passed, generation, bought_at, bought_version, versions_bought_until`);

export const selectDuePage = (watchId: number, after: string): Query<DueRow> => sql<DueRow>`
  SELECT ${DUE_COLUMNS}
  FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL AND ${BY_URL} > ${after}
  ORDER BY ${BY_URL} LIMIT ${DUE_PAGE}`;

/** Those of these URLs that are still due, in the order of the URLs. Uses urls_pkey. */
export const selectDueRows = (ids: readonly number[]): Query<DueRow> => sql<DueRow>`
  SELECT ${DUE_COLUMNS}
  FROM urls WHERE due IS NOT NULL AND id IN (
    SELECT id FROM ${toRows(
      { id: 'bigint' },
      ids.map((id): Row => [id]),
    )} AS r)
  ORDER BY ${BY_URL}`;

/** The watches that have a URL with a reason to be bought, now or later. Uses urls_due. */
export async function listWatchesWithDue(db: Queryable): Promise<ReadonlySet<number>> {
  const rows = await db.all(sql<{ id: number }>`
    SELECT id FROM watches WHERE EXISTS (SELECT 1 FROM urls WHERE watch_id = watches.id AND due IS NOT NULL)`);
  return new Set(rows.map(({ id }) => id));
}

/** As many URLs as can be due at most, without a look at the rules. Uses urls_due. */
export async function countDue(db: Queryable, watchId: number): Promise<number> {
  const { urls } = await db.one(selectDueCount(watchId));
  return urls;
}

export const selectDueCount = (watchId: number): Query<{ urls: number }> => sql<{ urls: number }>`
  SELECT count(*) AS urls FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL`;
