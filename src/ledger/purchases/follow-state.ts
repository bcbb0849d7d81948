import { type Micros, maxMicros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { OpenBucket, Purchase, PurchaseRef } from '../journal/entry.ts';
import { findMoney, freeMoney, getHeld, holdMoney } from '../journal/open-money.ts';
import { getCountedPrice } from '../journal/prices.ts';
import type { PurchaseState } from './states.ts';

interface Followed {
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly run_id: number | null;
  /** Null for an index-check, whose price is the specification's. */
  readonly service: ServiceLevel | null;
  readonly urls: number;
  readonly expected_cost: Micros | null;
  readonly state: PurchaseState;
  readonly in_doubt_since: number | null;
}

/** Where the money of a purchase is; null: it holds none. What it cost is booked by who knows it. */
export function toBucket({ state, in_doubt_since }: Pick<Followed, 'state' | 'in_doubt_since'>): OpenBucket | null {
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
    case 'done':
    case 'stopped':
      return null;
  }
}

/**
 * The money of a purchase follows its state, in the same transaction. One that begins to hold money holds what it was
 * planned for, or what it costs at a price that has risen since.
 */
export async function followState(tx: Queryable, { kind, id }: PurchaseRef, now: number): Promise<void> {
  const row = await tx.one(
    kind === 'batch'
      ? sql<Followed>`
    SELECT account_id, watch_id, run_id, service, urls, expected_cost, state, in_doubt_since FROM batches WHERE id = ${id}`
      : sql<Followed>`
    SELECT account_id, watch_id, NULL AS run_id, NULL AS service, urls, expected_cost, state, in_doubt_since FROM checks
    WHERE id = ${id}`,
  );
  const purchase = toPurchase({ kind, id }, row);
  const to = toBucket(row);
  if (to === null) return freeMoney(tx, purchase, now);
  const held = getHeld(await findMoney(tx, purchase));
  const { price } = row.service === null ? { price: ZERO } : await getCountedPrice(tx, row.account_id, row.service);
  const amount = held > 0 ? held : maxMicros(row.expected_cost ?? ZERO, timesMicros(price, row.urls));
  await holdMoney(tx, purchase, { to, amount, at: now });
}

/** A row of `checks` has no run. */
export const toPurchase = (
  ref: PurchaseRef,
  row: Pick<Followed, 'account_id' | 'watch_id'> & { readonly run_id?: number | null },
): Purchase => ({ ...ref, account: row.account_id, watchId: row.watch_id, runId: row.run_id ?? null });
