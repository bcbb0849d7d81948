import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { type Query, raw, sql } from '../../../src/database/sql.ts';
import type { AccountId } from '../../accounts/account.ts';
import { entryParts } from '../../accounts/entry-parts.ts';
import { toDay, zoneOffset } from './zones.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
export const DAYS = 30;

/** What one local day cost, refunds and restored charges deducted, and how many URLs were accepted on it. */
export interface DayFigures {
  readonly day: string;
  readonly spent: Micros;
  readonly urls: number;
}

/** The last 30 local days, today included. Days are cut with today's offset to UTC. Uses entries_by_time. */
export async function readDailyFigures(
  db: Queryable,
  account: AccountId,
  zone: string,
  now: number,
): Promise<DayFigures[]> {
  const offset = zoneOffset(zone, now);
  const today = Math.floor((now + offset) / DAY_MS);
  const first = today - DAYS + 1;
  const since = first * DAY_MS - offset;
  // The driver of SQLite binds numbers as floats: without the casts a day would have a fraction.
  const dayOf = (column: Query): Query =>
    sql`CAST((${column} + CAST(${offset} AS BIGINT)) / CAST(${DAY_MS} AS BIGINT) AS BIGINT)`;
  const day = dayOf(raw('e.created_at'));
  const spentOn = new Map<number, number>();
  const urlsOn = new Map<number, number>();
  const add = (to: Map<number, number>, rows: readonly { day: number; total: number }[]) => {
    for (const row of rows) to.set(row.day, (to.get(row.day) ?? 0) + row.total);
  };
  for await (const part of entryParts(db, account, { from: since, to: Number.MAX_SAFE_INTEGER })) {
    const spent = sql<{ day: number; total: number }>`
      SELECT ${day} AS day, sum(e.amount) AS total FROM entries AS e
      WHERE ${part} AND e.kind IN ('charge', 'restore', 'refund') GROUP BY 1`;
    const urls = sql<{ day: number; total: number }>`
      SELECT ${day} AS day, sum(s.url_count) AS total FROM entries AS e JOIN submissions AS s ON s.reference = e.subject
      WHERE ${part} AND e.kind = 'charge' GROUP BY 1`;
    add(spentOn, await db.all(spent));
    add(urlsOn, await db.all(urls));
  }
  return Array.from({ length: DAYS }, (_, index) => {
    const number = first + index;
    return {
      day: toDay('UTC', number * DAY_MS),
      spent: -(spentOn.get(number) ?? 0) as Micros,
      urls: urlsOn.get(number) ?? 0,
    };
  });
}
