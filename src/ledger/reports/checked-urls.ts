import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { DAY } from './watch-days.ts';

/** What the index-checks of a watch found on a UTC day. A check without an answer is not counted. */
export interface CheckDay {
  readonly day: number;
  readonly urls: number;
  readonly found: number;
}

/** URLs that were new, and found in the index for the first time by these checks. */
export interface FirstFound {
  readonly at: number;
  /** When the run began that first found them in a sitemap. */
  readonly newSince: number;
  readonly urls: number;
}

export interface CheckedUrls {
  /** In the order of time. */
  readonly days: readonly CheckDay[];
  readonly firstFound: readonly FirstFound[];
  /** Since when this is whole: later than asked for where there are too many checks. */
  readonly since: number;
}

/** Checks of 50 URLs: 500,000 URLs of a watch. */
const MAX_CHECKS = 10_000;
const PAGE = 400;

/** `detailsFrom`: URLs that were first found before are left out, because their earlier checks may be removed. */
export async function listCheckedUrls(
  ledger: Ledger,
  watch: WatchId,
  { since, detailsFrom }: { readonly since: number; readonly detailsFrom: number },
): Promise<CheckedUrls> {
  const id = await findWatch(ledger.db, watch);
  const checks = id === null ? [] : await ledger.db.all(selectDoneChecks(id, since));
  const cut = checks.length === MAX_CHECKS ? (Math.floor((checks.at(-1)?.at ?? 0) / DAY) + 1) * DAY : since;
  const counted = checks.filter(({ at }) => at >= cut).toReversed();
  const days = new Map<number, CheckDay>();
  for (const { at, urls, found } of counted) {
    const day = Math.floor(at / DAY) * DAY;
    const sum = days.get(day) ?? { day, urls: 0, found: 0 };
    days.set(day, { day, urls: sum.urls + urls, found: sum.found + found });
  }
  const firstFound: FirstFound[] = [];
  const some = counted.filter(({ found }) => found > 0);
  for (let from = 0; from < some.length; from += PAGE) {
    firstFound.push(...(await ledger.db.all(selectFirstFound(some.slice(from, from + PAGE), detailsFrom))));
    await yieldToEventLoop();
  }
  return { days: [...days.values()], firstFound, since: cut };
}

interface DoneCheck {
  readonly id: number;
  readonly at: number;
  readonly urls: number;
  readonly found: number;
}

/** Newest first. Uses checks_done. */
export const selectDoneChecks = (watchId: number, since: number) => sql<DoneCheck>`
  SELECT id, done_at AS at, urls, found FROM checks
  WHERE watch_id = ${watchId} AND state = 'done' AND done_at >= ${since} ORDER BY done_at DESC LIMIT ${MAX_CHECKS}`;

/** Uses the primary key of check_urls, check_urls_by_url and batch_urls_once. */
export const selectFirstFound = (checks: readonly Pick<DoneCheck, 'id'>[], detailsFrom: number) => sql<FirstFound>`
  SELECT m.at, r.started_at AS "newSince", count(*) AS urls
  FROM ${toRows(
    { id: 'bigint' },
    checks.map(({ id }): Row => [id]),
  )} AS c
    CROSS JOIN check_urls AS m JOIN urls AS u ON u.id = m.url_id JOIN runs AS r ON r.id = u.first_run
  WHERE m.check_id = c.id AND m.result = 'found' AND r.started_at >= ${detailsFrom}
    AND EXISTS (SELECT 1 FROM batch_urls AS p WHERE p.url_id = u.id AND p.generation = 1 AND p.due = 'new')
    AND NOT EXISTS (
      SELECT 1 FROM check_urls AS e WHERE e.url_id = u.id AND e.result = 'found' AND e.check_id < m.check_id)
  GROUP BY 1, 2`;
