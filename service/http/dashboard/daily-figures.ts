import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { type Query, raw, sql } from '../../../src/database/sql.ts';
import type { AccountId } from '../../accounts/account.ts';
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
  const spent = await db.all(sql<{ day: number; total: Micros }>`
    SELECT ${day} AS day, sum(amount) AS total FROM entries AS e
    WHERE account_id = ${account} AND created_at >= ${since} AND kind IN ('charge', 'restore', 'refund')
    GROUP BY 1`);
  const urls = await db.all(sql<{ day: number; total: number }>`
    SELECT ${day} AS day, sum(s.url_count) AS total
    FROM entries AS e JOIN submissions AS s ON s.reference = e.subject
    WHERE e.account_id = ${account} AND e.created_at >= ${since} AND e.kind = 'charge' GROUP BY 1`);
  const spentOn = new Map(spent.map((row) => [row.day, row.total]));
  const urlsOn = new Map(urls.map((row) => [row.day, row.total]));
  return Array.from({ length: DAYS }, (_, index) => {
    const number = first + index;
    return {
      day: toDay('UTC', number * DAY_MS),
      spent: -(spentOn.get(number) ?? 0) as Micros,
      urls: urlsOn.get(number) ?? 0,
    };
  });
}
