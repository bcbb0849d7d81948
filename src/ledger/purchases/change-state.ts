import type { Queryable } from '../../database/database.ts';
import { type Query, raw, sql } from '../../database/sql.ts';
import type { Reason } from '../../submission/reason.ts';
import { LedgerError } from '../ledger-error.ts';
import { assignReason } from '../reason-columns.ts';
import { followState } from './follow-state.ts';
import type { StateOf } from './states.ts';

/** A step of a purchase, from one of these states. In any other the transaction fails and nothing changes. */
export interface Step<Kind extends keyof StateOf> {
  readonly kind: Kind;
  readonly id: number;
  readonly from: readonly StateOf[Kind][];
  readonly to: StateOf[Kind];
  readonly reason: Reason | null;
  readonly assignments: readonly Query[];
}

/** Changes the state; the money of the purchase follows in the same transaction. */
export async function changeState<Kind extends keyof StateOf>(
  tx: Queryable,
  step: Step<Kind>,
  now: number,
): Promise<void> {
  await assignInState(tx, step);
  await followState(tx, step, now);
}

const TABLES = { batch: raw('batches'), check: raw('checks') } as const;

/** The same for a step that leaves the state as it is, and the money where it is. */
export async function assignInState<Kind extends keyof StateOf>(
  tx: Queryable,
  { kind, id, from, to, reason, assignments }: Step<Kind>,
): Promise<void> {
  const also = assignments.reduce((before, each) => sql`${before}, ${each}`, assignReason(reason));
  const start = from.reduce((before, state) => sql`${before}, ${state}`, sql`''`);
  const { changes } = await tx.run(sql`
    UPDATE ${TABLES[kind]} SET state = ${to}, ${also} WHERE id = ${id} AND state IN (${start})`);
  if (changes === 1) return;
  const row = await tx.get(sql<{ state: string }>`SELECT state FROM ${TABLES[kind]} WHERE id = ${id}`);
  throw notAllowed({ kind, id }, row?.state ?? 'gone');
}

const NAMES = { batch: 'Batch', check: 'Index-check' } as const;

export const notAllowed = ({ kind, id }: Pick<Step<keyof StateOf>, 'kind' | 'id'>, state: string): LedgerError =>
  new LedgerError(
    'WRONG_STATE',
    `${NAMES[kind]} ${id} is ${state}, which does not allow this step. Nothing was changed, sent or charged.`,
  );
