import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';
import { parseReason, type Reason, type StoredReason } from '../../submission/reason.ts';
import { assignInState, changeState, notAllowed } from '../purchases/change-state.ts';
import type { BatchState } from '../purchases/states.ts';
import { assignReason } from '../reason-columns.ts';
import { assignWait, type NewWait } from '../waits.ts';
import { selectFamily } from './family.ts';

/**
 * The state machine of a batch. Every statement that changes a batch's state is in this file and names its source states;
 * in any other state the transaction fails and nothing changes. docs/explanation/architecture.md draws it from the calls of
 * `change`: run `npm run docs` after you changed one.
 *
 * `in_doubt_since` is set exactly while an attempt may have been charged without a record: from the first attempt without
 * a response until a response, the service's list or an operator settles its outcome. A batch in doubt counts against
 * every cap, the floor and the totals, whatever its state: its money follows its state in the same transaction.
 */
interface Row {
  readonly id: BatchId;
}

interface RowInState extends Row {
  readonly state: BatchState;
}

/** planned, sending → sending. Records the attempt before its first byte is sent. */
export async function beginAttempt(tx: Queryable, { id }: Row, now: number): Promise<void> {
  await change(tx, id, now, ['planned', 'sending'], 'sending', null, [
    assignWait(null),
    sql`absent_at = NULL`,
    sql`attempts = attempts + 1`,
    sql`in_doubt_since = coalesce(in_doubt_since, ${now})`,
  ]);
}

/** sending → planned: no attempt was charged. The next attempt covers page changes since the last one. */
export async function returnToPlanned(
  tx: Queryable,
  { id }: Row,
  now: number,
  { wait, reason }: { readonly wait: NewWait; readonly reason: Reason },
): Promise<void> {
  await change(tx, id, now, ['planned', 'sending'], 'planned', reason, [
    assignWait(wait),
    sql`in_doubt_since = NULL`,
    sql`needs_lookup = 0`,
  ]);
  await tx.run(sql`
    UPDATE urls SET due = NULL, due_at = NULL, planned_version = version WHERE state = 'planned' AND due = 'changed'
      AND id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${id})`);
}

/** sending stays in doubt, planned stays planned: neither is tried before then. */
export async function setAside(
  tx: Queryable,
  row: RowInState,
  { wait, reason }: { readonly wait: NewWait; readonly reason: Reason | null },
): Promise<void> {
  if (row.state !== 'planned' && row.state !== 'sending') throw notAllowed({ kind: 'batch', id: row.id }, row.state);
  await stay(tx, row.id, row.state, reason, [assignWait(wait)]);
}

/** sending stays in doubt, and is looked up in the service's list before anything is sent again. */
export async function requireLookup(
  tx: Queryable,
  { id }: Row,
  { reason, ifAbsent }: { readonly reason: Reason; readonly ifAbsent: string | null },
): Promise<void> {
  await stay(tx, id, 'sending', reason, [sql`needs_lookup = 1`, sql`if_absent = ${ifAbsent}`, assignWait(null)]);
}

/** planned, sending wait until the list is read a second time. */
export async function awaitConfirmation(
  tx: Queryable,
  row: RowInState & StoredReason,
  { absentAt, wait }: { readonly absentAt: number; readonly wait: NewWait },
): Promise<void> {
  if (row.state !== 'planned' && row.state !== 'sending') throw notAllowed({ kind: 'batch', id: row.id }, row.state);
  await stay(tx, row.id, row.state, parseReason(row), [sql`absent_at = ${absentAt}`, assignWait(wait)]);
}

export interface Accepted {
  readonly reference: Reference;
  readonly now: number;
  readonly charge: Micros | null;
  readonly jobState: string;
  readonly reason: Reason | null;
}

/**
 * Any state without a reference → accepted: a batch that the service accepted is bought, whatever was recorded before. A
 * batch that was refused or cancelled → needs_review: its URLs may be in other batches. Either way the doubt ends.
 */
export async function accept(tx: Queryable, row: RowInState, accepted: Accepted): Promise<void> {
  const { reference, now, charge, jobState, reason } = accepted;
  const found = [
    sql`reference = ${reference}`,
    sql`accepted_at = ${now}`,
    sql`charge = ${charge}`,
    sql`job_state = ${jobState}`,
    sql`in_doubt_since = NULL`,
    sql`needs_lookup = 0`,
    sql`if_absent = NULL`,
    assignWait(null),
  ];
  if (row.state === 'refused' || row.state === 'cancelled')
    await change(tx, row.id, now, ['refused', 'cancelled'], 'needs_review', reason, [...found, sql`settled_at = NULL`]);
  else await change(tx, row.id, now, ['planned', 'sending', 'needs_review'], 'accepted', reason, found);
}

/** planned, sending → refused: nothing was charged, and its URLs move to other batches or to quarantine. */
export async function refuse(tx: Queryable, { id }: Row, now: number, reason: Reason): Promise<void> {
  await change(tx, id, now, ['planned', 'sending'], 'refused', reason, [
    sql`in_doubt_since = NULL`,
    sql`needs_lookup = 0`,
    sql`if_absent = NULL`,
    sql`settled_at = ${now}`,
  ]);
}

/**
 * planned, sending → needs_review. `doubt`: 'stays' where an attempt may have been charged, 'none' where every answer
 * says that nothing was.
 */
export async function requireReview(
  tx: Queryable,
  { id }: Row,
  now: number,
  reason: Reason,
  { doubt }: { readonly doubt: 'stays' | 'none' },
): Promise<void> {
  await change(tx, id, now, ['planned', 'sending'], 'needs_review', reason, [
    ...(doubt === 'none' ? [sql`in_doubt_since = NULL`] : []),
  ]);
}

/** planned → needs_review for the parts of a batch, and their parts, that were not sent. */
export async function reviewUnsentParts(tx: Queryable, { id }: Row, now: number, reason: Reason): Promise<void> {
  const parts = await tx.all(sql<Row>`
    SELECT id FROM batches WHERE id IN (${selectFamily(id)}) AND id <> ${id} AND state = 'planned' AND in_doubt_since IS NULL
    ORDER BY id`);
  for (const part of parts) await change(tx, part.id, now, ['planned'], 'needs_review', reason, []);
}

/** planned → cancelled: nothing was charged. A batch in doubt cannot be taken back. */
export async function cancel(
  tx: Queryable,
  row: Row & { readonly in_doubt_since: number | null },
  now: number,
  reason: Reason,
) {
  if (row.in_doubt_since !== null) throw notAllowed({ kind: 'batch', id: row.id }, 'sending');
  await change(tx, row.id, now, ['planned'], 'cancelled', reason, [sql`settled_at = ${now}`, assignWait(null)]);
}

/**
 * needs_review → planned, for a batch that every answer refused: the service refuses all batches alike, so this one is not
 * the cause. In any other state, or in doubt, it stays as it is.
 */
export async function returnFromReview(tx: Queryable, id: BatchId, now: number, reason: Reason): Promise<void> {
  const certain = await tx.get(sql`
    SELECT 1 FROM batches
    WHERE id = ${id} AND state = 'needs_review' AND in_doubt_since IS NULL AND reference IS NULL
      AND EXISTS (SELECT 1 FROM batch_bodies AS y WHERE y.batch_id = batches.id)`);
  if (certain !== undefined) await change(tx, id, now, ['needs_review'], 'planned', reason, []);
}

/** needs_review → refused: an operator has decided, so the doubt ends. */
export async function resolveReview(tx: Queryable, { id }: Row, now: number, reason: Reason): Promise<void> {
  await change(tx, id, now, ['needs_review'], 'refused', reason, [
    sql`settled_at = ${now}`,
    sql`in_doubt_since = NULL`,
    sql`needs_lookup = 0`,
  ]);
}

/** Sets the reason of a batch without changing its state. */
export async function setReason(tx: Queryable, { id }: Row, reason: Reason | null): Promise<void> {
  await tx.run(sql`UPDATE batches SET ${assignReason(reason)} WHERE id = ${id}`);
}

const change = (
  tx: Queryable,
  id: BatchId,
  now: number,
  from: readonly BatchState[],
  to: BatchState,
  reason: Reason | null,
  assignments: readonly Query[],
): Promise<void> => changeState(tx, { kind: 'batch', id, from, to, reason, assignments }, now);

const stay = (tx: Queryable, id: BatchId, state: BatchState, reason: Reason | null, assignments: readonly Query[]) =>
  assignInState(tx, { kind: 'batch', id, from: [state], to: state, reason, assignments });
