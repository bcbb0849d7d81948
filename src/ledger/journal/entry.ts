import { type Micros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { raw, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';

/**
 * Where money is. `free`: in no purchase. `planned`: frozen, nothing was sent. `sent`: an attempt may have been charged.
 * `charged`: the service said how much. `assumed`: counted as charged, because nobody said otherwise.
 */
export type Bucket = 'free' | OpenBucket | ClosedBucket;
/** Of a purchase that is under way. Returns to zero. */
export type OpenBucket = 'planned' | 'sent';
export type ClosedBucket = 'charged' | 'assumed';

/** What is bought with one key: a submission or an index-check. */
export interface PurchaseRef {
  readonly kind: 'batch' | 'check';
  readonly id: number;
}

export interface Purchase extends PurchaseRef {
  readonly account: AccountId;
  readonly watchId: number;
  /** Null for an index-check, and for a job that `courier recover` took in. */
  readonly runId: number | null;
}

/** One movement. It is never changed: another entry corrects it. Amounts are in micro-lira and not negative. */
export interface Entry {
  readonly from: Bucket;
  readonly to: Bucket;
  readonly amount: Micros;
  /** Epoch milliseconds. Of a charge: when the ledger learned of it, so that an earlier balance does not show it. */
  readonly at: number;
  /** What follows is of `charged` and `assumed` alone: open money counts by its amount, against every day. */
  readonly booked?: Booked;
}

export interface Booked {
  /** What caps count. */
  readonly counted: Micros;
  /** Start of the UTC day on which it counts. */
  readonly day: number;
  /** Of the entry that closes its purchase, or moves all of it; 0 in a correction. */
  readonly urls: number;
  /** URLs that from here on have no known price, or, below zero, have one. */
  readonly unpriced?: number;
}

const IS_CLOSED = new Set<Bucket>(['charged', 'assumed']);
export const isClosed = (bucket: Bucket): bucket is ClosedBucket => IS_CLOSED.has(bucket);

/** Totals of open money stand on no day. */
export const NO_DAY = 0;

/** Conditions on a row of `journal`. An entry that closes a purchase has both. */
export const INTO_CLOSED = raw(`to_bucket IN ('charged', 'assumed')`);
export const FROM_OPEN = raw(`from_bucket IN ('free', 'planned', 'sent')`);

/**
 * Writes one movement, and brings the totals with it in the same transaction. Throws when the bucket holds less than is
 * taken from it: a defect, which the transaction undoes.
 */
export async function writeEntry(tx: Queryable, purchase: Purchase, entry: Entry): Promise<void> {
  const { kind, id, account, watchId, runId } = purchase;
  const { from, to, amount, at, booked } = entry;
  const { counted = ZERO, day = NO_DAY, urls = 0, unpriced = 0 } = booked ?? {};
  await tx.run(sql`
    INSERT INTO journal (account_id, watch_id, run_id, kind, of_id, from_bucket, to_bucket, amount, counted, day, urls, unpriced, at)
    VALUES (${account}, ${watchId}, ${runId}, ${kind}, ${id}, ${from}, ${to}, ${amount}, ${counted}, ${day}, ${urls}, ${unpriced},
      ${at})`);
  if (from !== 'free') {
    const { changes } = await tx.run(sql`
      UPDATE journal_totals SET amount = amount - ${amount}, counted = counted - ${isClosed(from) ? counted : 0},
        urls = urls - ${isClosed(from) ? urls : 0}, unpriced = unpriced + ${to === 'free' ? unpriced : 0}
      WHERE account_id = ${account} AND day = ${isClosed(from) ? day : NO_DAY} AND watch_id = ${watchId} AND kind = ${kind}
        AND bucket = ${from}`);
    if (changes !== 1) throw new Error(`${kind} ${id} takes ${amount} from ${from}, where nothing is`);
  }
  if (to === 'free') return;
  const ends = isClosed(to);
  await tx.run(sql`
    INSERT INTO journal_totals (account_id, day, watch_id, kind, bucket, amount, counted, urls, unpriced)
    VALUES (${account}, ${ends ? day : NO_DAY}, ${watchId}, ${kind}, ${to}, ${amount}, ${ends ? counted : 0}, ${ends ? urls : 0},
      ${unpriced})
    ON CONFLICT (account_id, day, watch_id, kind, bucket) DO UPDATE SET amount = journal_totals.amount + excluded.amount,
      counted = journal_totals.counted + excluded.counted, urls = journal_totals.urls + excluded.urls,
      unpriced = journal_totals.unpriced + excluded.unpriced`);
}
