import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { dialectal, type Query, sql } from '../../database/sql.ts';
import type { StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { LedgerUrlState } from '../url-state.ts';

/** Why a URL is to be bought. */
export type DueReason =
  /** Never seen before. */
  | 'new'
  /** Its lastmod changed. */
  | 'changed'
  /** Its last generation failed. */
  | 'retry'
  /** Repeatedly checked and never found. */
  | 'not-found'
  /** Released on request. */
  | 'released';

export type DueCounts = Readonly<Record<DueReason, number>>;

/** A URL with a reason to be bought, now or later. */
export interface DueRow extends StoredReason {
  readonly id: number;
  readonly url: Url;
  readonly first_run: number;
  readonly lastmod: string | null;
  readonly lastmod_at: number | null;
  readonly gone_run: number | null;
  readonly state: LedgerUrlState;
  readonly due: DueReason;
  readonly due_at: number | null;
  readonly guard_passed: number;
  readonly generation: number;
  readonly bought_at: number | null;
  readonly bought_lastmod: string | null;
  /** When the last job that `courier recover` took in for it was created. */
  readonly lastmods_bought_until: number | null;
}

/** Whether it may be bought now. A URL that a batch holds already waits for that batch. */
export function isDueNow({ gone_run, due_at, state }: DueRow, now: number): boolean {
  const waits = state === 'planned' || state === 'submitted' || state === 'quarantined';
  return gone_run === null && (due_at === null || due_at <= now) && !waits;
}

/** The byte order on both databases, whatever the locale of the server. The index urls_due has it. */
const BY_URL: Query = sql`${dialectal(sql`url`, sql`url COLLATE "C"`)}`;

/** Small enough that reading or writing a page holds the event loop for a few ten milliseconds. */
export const DUE_PAGE = 5_000;

/**
 * Every URL of a watch that has a reason to be bought, in the order of the URLs, a page at a time. The event loop runs
 * between two pages: heartbeats go out however many URLs are due. Rows may be changed while the pages are read.
 * Uses urls_due.
 */
export async function* eachDuePage(db: Queryable, watchId: number): AsyncGenerator<readonly DueRow[]> {
  for (let after = ''; ; ) {
    const page = await db.all(selectDuePage(watchId, after));
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < DUE_PAGE) return;
    after = last.url;
    await yieldToEventLoop();
  }
}

export const selectDuePage = (watchId: number, after: string): Query<DueRow> => sql<DueRow>`
  SELECT id, url, first_run, lastmod, lastmod_at, gone_run, state, reason_code, reason_params, due, due_at, guard_passed,
    generation, bought_at, bought_lastmod, lastmods_bought_until
  FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL AND ${BY_URL} > ${after}
  ORDER BY ${BY_URL} LIMIT ${DUE_PAGE}`;

/** As many URLs as can be due at most, without a look at the rules. Uses urls_due. */
export async function countDue(db: Queryable, watchId: number): Promise<number> {
  const { urls } = await db.one(selectDueCount(watchId));
  return urls;
}

export const selectDueCount = (watchId: number): Query<{ urls: number }> => sql<{ urls: number }>`
  SELECT count(*) AS urls FROM urls WHERE watch_id = ${watchId} AND due IS NOT NULL`;
