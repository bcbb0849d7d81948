import type { Queryable } from '../../src/database/database.ts';
import { type Query, sql } from '../../src/database/sql.ts';
import { PART } from '../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import type { AccountId } from './account.ts';

/** From `from` until just before `to`, in epoch milliseconds. */
export interface StatementRange {
  readonly from: number;
  readonly to: number;
}

interface Place {
  readonly created_at: number;
  readonly id: number;
}

/**
 * The entries of a period in parts, oldest first: each as the condition of a statement over `entries AS e`. Other work
 * continues between them, however many entries an account has. Uses entries_by_time.
 */
export async function* entryParts(
  db: Queryable,
  account: AccountId,
  { from, to }: StatementRange,
): AsyncGenerator<Query> {
  let place: Place = { created_at: from, id: 0 };
  for (;;) {
    const { created_at: at, id } = place;
    const after = sql`e.account_id = ${account} AND e.created_at >= ${at} AND (e.created_at, e.id) > (${at}, ${id})`;
    const rest = sql`${after} AND e.created_at < ${to}`;
    const last = await db.get(sql<Place>`
      SELECT e.created_at, e.id FROM entries AS e WHERE ${rest} ORDER BY e.created_at, e.id LIMIT 1 OFFSET ${PART.rows - 1}`);
    if (last === undefined) {
      yield rest;
      return;
    }
    // One upper bound alone: given two, SQLite reads up to the one that is named first.
    yield sql`${after} AND (e.created_at, e.id) <= (${last.created_at}, ${last.id})`;
    place = last;
    await yieldToEventLoop();
  }
}

/** The condition of the entries behind the newest `offset` of a period, and how many of them to skip still. */
export async function skipEntries(
  db: Queryable,
  account: AccountId,
  { from, to }: StatementRange,
  offset: number,
): Promise<{ readonly rest: Query; readonly offset: number }> {
  let place: Place = { created_at: to, id: 0 };
  for (let left = offset; ; left -= PART.rows) {
    const { created_at: at, id } = place;
    const rest = sql`e.account_id = ${account} AND e.created_at >= ${from} AND e.created_at <= ${at}
      AND (e.created_at, e.id) < (${at}, ${id})`;
    if (left < PART.rows) return { rest, offset: left };
    const last = await db.get(sql<Place>`
      SELECT e.created_at, e.id FROM entries AS e WHERE ${rest}
      ORDER BY e.created_at DESC, e.id DESC LIMIT 1 OFFSET ${PART.rows - 1}`);
    if (last === undefined) return { rest, offset: left };
    place = last;
    await yieldToEventLoop();
  }
}
