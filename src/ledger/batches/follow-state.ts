import { type Micros, maxMicros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import type { OpenBucket, Purchase } from '../journal/entry.ts';
import { findMoney, freeMoney, getHeld, holdMoney } from '../journal/open-money.ts';
import { getCountedPrice } from '../journal/prices.ts';
import type { BatchState } from './batch-state.ts';

interface FollowedBatch {
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly run_id: number | null;
  readonly service: ServiceLevel;
  readonly urls: number;
  readonly expected_cost: Micros | null;
  readonly state: BatchState;
  readonly in_doubt_since: number | null;
}

/** Where the money of a batch is; null: it holds none. What it cost is booked by who knows it. */
export function toBucket({
  state,
  in_doubt_since,
}: Pick<FollowedBatch, 'state' | 'in_doubt_since'>): OpenBucket | null {
  switch (state) {
    case 'planned':
      return 'planned';
    case 'sending':
      return 'sent';
    case 'needs_review':
      return in_doubt_since === null ? null : 'sent';
    case 'accepted':
    case 'refused':
    case 'cancelled':
      return null;
  }
}

/**
 * The money of a batch follows its state, in the same transaction. A batch that begins to hold money holds what it was
 * planned for, or what it costs at a price that has risen since.
 */
export async function followState(tx: Queryable, id: BatchId, now: number): Promise<void> {
  const row = await tx.one(sql<FollowedBatch>`
    SELECT account_id, watch_id, run_id, service, urls, expected_cost, state, in_doubt_since FROM batches WHERE id = ${id}`);
  const purchase = toPurchase(id, row);
  const to = toBucket(row);
  if (to === null) return freeMoney(tx, purchase, now);
  const held = getHeld(await findMoney(tx, purchase));
  const { price } = await getCountedPrice(tx, row.account_id, row.service);
  const amount = held > 0 ? held : maxMicros(row.expected_cost ?? ZERO, timesMicros(price, row.urls));
  await holdMoney(tx, purchase, { to, amount, at: now });
}

export const toPurchase = (
  id: BatchId,
  { account_id, watch_id, run_id }: Pick<FollowedBatch, 'account_id' | 'watch_id' | 'run_id'>,
): Purchase => ({ kind: 'batch', id, account: account_id, watchId: watch_id, runId: run_id });
