import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { Reason } from '../../submission/reason.ts';
import { assignInState, changeState } from '../purchases/change-state.ts';
import type { CheckState } from '../purchases/states.ts';
import { assignWait, type NewWait } from '../waits.ts';

/** The state machine of an index-check. Every statement that changes its state is in this file. */
interface Row {
  readonly id: number;
}

/** planned, sending → sending. Records the attempt before its first byte is sent. */
export const beginAttempt = (tx: Queryable, { id }: Row, now: number): Promise<void> =>
  change(tx, id, now, ['planned', 'sending'], 'sending', null, [
    assignWait(null),
    sql`attempts = attempts + 1`,
    sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,
  ]);

/**
 * sending → planned where the only attempt was certainly not charged. Later attempts keep the earliest doubt: sending stays
 * sending.
 */
export async function putBack(
  tx: Queryable,
  { id }: Row,
  now: number,
  { certain, wait, reason }: { readonly certain: boolean; readonly wait: NewWait; readonly reason: Reason },
): Promise<void> {
  const assignments = [assignWait(wait)];
  if (!certain) {
    return assignInState(tx, { kind: 'check', id, from: ['sending'], to: 'sending', reason, assignments });
  }
  const asPlanned = [...assignments, sql`attempts = 0`, sql`in_doubt_since = NULL`];
  return change(tx, id, now, ['sending'], 'planned', reason, asPlanned);
}

/** Any state → done: a check that was answered is paid, whatever was recorded before. */
export const complete = (tx: Queryable, { id }: Row, now: number, assignments: readonly Query[]): Promise<void> =>
  end(tx, id, now, ['planned', 'sending', 'refused', 'stopped', 'cancelled'], 'done', null, assignments);

/** planned, sending → refused, stopped or cancelled. Its URLs leave it; `nextAt`: when they are due, where that changes. */
export async function giveUp(
  tx: Queryable,
  { id }: Row,
  now: number,
  to: Extract<CheckState, 'refused' | 'stopped' | 'cancelled'>,
  { reason, nextAt }: { readonly reason: Reason; readonly nextAt?: number },
): Promise<void> {
  const next = nextAt === undefined ? sql`` : sql`, next_at = ${nextAt}`;
  await tx.run(sql`UPDATE check_queue SET check_id = NULL${next} WHERE check_id = ${id}`);
  await end(tx, id, now, ['planned', 'sending'], to, reason, []);
}

const end = (
  tx: Queryable,
  id: number,
  now: number,
  from: readonly CheckState[],
  to: CheckState,
  reason: Reason | null,
  assignments: readonly Query[],
): Promise<void> =>
  change(tx, id, now, from, to, reason, [...assignments, sql`done_at = ${now}`, sql`in_doubt_since = NULL`]);

const change = (
  tx: Queryable,
  id: number,
  now: number,
  from: readonly CheckState[],
  to: CheckState,
  reason: Reason | null,
  assignments: readonly Query[],
): Promise<void> => changeState(tx, { kind: 'check', id, from, to, reason, assignments }, now);
