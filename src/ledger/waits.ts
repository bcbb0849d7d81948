import { type Query, sql } from '../database/sql.ts';
import { CLOCK_TOLERANCE_MS } from '../submission/clock.ts';

/** A wait that begins now; null: none. */
export type NewWait = { readonly since: number; readonly until: number } | null;

/** The assignment of a wait in an UPDATE of `batches` or `checks`. */
export const assignWait = (wait: NewWait): Query =>
  sql`not_before = ${wait?.until ?? null}, waits_since = ${wait?.since ?? null}`;

/** Whether a batch waits: `findWaitEnd` of src/submission/clock.ts in SQL. */
export const isWaitingSql = (now: number): Query =>
  sql`coalesce(not_before > ${now} AND waits_since <= ${now + CLOCK_TOLERANCE_MS}, 1 = 0)`;
