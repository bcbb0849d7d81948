import { type Micros, maxMicros, micros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import {
  type ClosedBucket,
  FROM_OPEN,
  INTO_CLOSED,
  type OpenBucket,
  type Purchase,
  type PurchaseRef,
  writeEntry,
} from './entry.ts';

/** The money of one purchase. */
export interface PurchaseMoney {
  readonly planned: Micros;
  readonly sent: Micros;
  /** Null until it is closed. */
  readonly closed: ClosedMoney | null;
}

export interface ClosedMoney {
  readonly bucket: ClosedBucket;
  readonly amount: Micros;
  readonly counted: Micros;
  readonly urls: number;
  /** URLs whose charge nobody knows. */
  readonly unpriced: number;
  readonly day: number;
  readonly at: number;
}

interface MoneyRow {
  readonly planned: Micros;
  readonly sent: Micros;
  readonly amount: Micros;
  readonly counted: Micros;
  readonly urls: number;
  readonly unpriced: number;
  /** Null without an entry. */
  readonly is_charged: number | null;
  readonly day: number | null;
  readonly at: number | null;
}

/** What the entries of a bucket come to. */
export const sumOfBucket = (bucket: OpenBucket): Query => sql`
  coalesce(sum(CASE WHEN to_bucket = ${bucket} THEN amount WHEN from_bucket = ${bucket} THEN -amount ELSE 0 END), 0)`;

/** What entries bring into the two closed buckets together. */
export const sumOfClosed = (column: Query): Query => sql`
  coalesce(sum(CASE WHEN ${INTO_CLOSED} AND ${FROM_OPEN} THEN ${column} WHEN to_bucket = 'free' AND NOT ${FROM_OPEN} THEN -${column}
    ELSE 0 END), 0)`;

/** Uses journal_by_purchase. */
export async function findMoney(db: Queryable, { kind, id }: PurchaseRef): Promise<PurchaseMoney> {
  const { planned, sent, ...row } = await db.one(sql<MoneyRow>`
    SELECT ${sumOfBucket('planned')} AS planned, ${sumOfBucket('sent')} AS sent, ${sumOfClosed(sql`amount`)} AS amount,
      ${sumOfClosed(sql`counted`)} AS counted, ${sumOfClosed(sql`urls`)} AS urls, coalesce(sum(unpriced), 0) AS unpriced,
      max(CASE WHEN to_bucket = 'charged' THEN 1 ELSE 0 END) AS is_charged,
      min(CASE WHEN ${INTO_CLOSED} THEN day END) AS day, min(CASE WHEN ${INTO_CLOSED} THEN at END) AS at
    FROM journal WHERE kind = ${kind} AND of_id = ${id}`);
  const { is_charged, day, at, ...closed } = row;
  return {
    planned,
    sent,
    closed:
      day === null || at === null ? null : { ...closed, day, at, bucket: is_charged === 1 ? 'charged' : 'assumed' },
  };
}

/** What a purchase holds: at most one of the two is not zero. */
export const getHeld = ({ planned, sent }: Pick<PurchaseMoney, OpenBucket>): Micros => maxMicros(planned, sent);

/** Puts what a purchase holds into this bucket and makes it this amount: a correction, then a movement. */
export async function holdMoney(
  tx: Queryable,
  purchase: Purchase,
  { to, amount, at }: { readonly to: OpenBucket; readonly amount: Micros; readonly at: number },
): Promise<void> {
  const money = await findMoney(tx, purchase);
  const from: OpenBucket = money.planned > 0 ? 'planned' : money.sent > 0 ? 'sent' : to;
  await correct(tx, purchase, from, micros(amount - getHeld(money)), at);
  if (from !== to && amount > 0) await writeEntry(tx, purchase, { from, to, amount, at });
}

/** Gives back what a purchase holds. */
export async function freeMoney(tx: Queryable, purchase: Purchase, at: number): Promise<void> {
  const money = await findMoney(tx, purchase);
  for (const from of ['planned', 'sent'] as const)
    if (money[from] > 0) await writeEntry(tx, purchase, { from, to: 'free', amount: money[from], at });
}

const correct = async (tx: Queryable, purchase: Purchase, bucket: OpenBucket, more: Micros, at: number) => {
  if (more > 0) await writeEntry(tx, purchase, { from: 'free', to: bucket, amount: more, at });
  if (more < 0) await writeEntry(tx, purchase, { from: bucket, to: 'free', amount: micros(-more), at });
};

/** What a purchase cost. */
export interface Booking {
  /** `charged`: the service said it. */
  readonly to: ClosedBucket;
  /** Null: nobody knows it, and no price is known. */
  readonly amount: Micros | null;
  /** At least this much counts: what was read too low leaves no room for another purchase. */
  readonly atLeast: Micros;
  readonly urls: number;
  /** Start of the UTC day on which it counts. */
  readonly day: number;
  readonly at: number;
}

/**
 * Closes a purchase: what it cost leaves what it holds, the rest goes back, an excess comes from what is free. One that is
 * closed already is corrected.
 */
export async function bookPurchase(tx: Queryable, purchase: Purchase, booking: Booking): Promise<void> {
  const money = await findMoney(tx, purchase);
  if (money.closed !== null) return correctBooked(tx, purchase, money.closed, booking);
  const { to, atLeast, urls, day, at } = booking;
  const isUnknown = booking.amount === null && atLeast === 0;
  const amount = booking.amount ?? atLeast;
  const from = money.sent > 0 ? 'sent' : money.planned > 0 ? 'planned' : 'free';
  if (from !== 'free') await correct(tx, purchase, from, micros(amount - money[from]), at);
  const counted = maxMicros(amount, atLeast);
  await writeEntry(tx, purchase, {
    ...{ from, to, amount, at },
    booked: { counted, day, urls, unpriced: isUnknown ? urls : 0 },
  });
}

/** Nobody knows whether it was charged, and nobody will: it counts as if it was. Without money that it holds, nothing does. */
export async function assumeCharged(
  tx: Queryable,
  purchase: Purchase,
  { urls, day, at }: Pick<Booking, 'urls' | 'day' | 'at'>,
): Promise<void> {
  const money = await findMoney(tx, purchase);
  if (money.closed !== null) return;
  await bookPurchase(tx, purchase, { to: 'assumed', amount: getHeld(money) || null, atLeast: ZERO, urls, day, at });
}

/** A later witness of what a closed purchase cost. It counts on the day on which it was booked. */
async function correctBooked(tx: Queryable, purchase: Purchase, before: ClosedMoney, booking: Booking): Promise<void> {
  if (before.bucket === 'charged' || booking.amount === null) return;
  const { day, at, bucket, urls, unpriced } = before;
  const { amount, to } = booking;
  const counted = maxMicros(amount, booking.atLeast);
  const more = { amount: rise(before.amount, amount), counted: rise(before.counted, counted) };
  const less = { amount: rise(amount, before.amount), counted: rise(counted, before.counted) };
  if (more.amount > 0 || more.counted > 0 || unpriced > 0)
    await writeEntry(tx, purchase, {
      ...{ from: 'free', to: bucket, amount: more.amount, at },
      booked: { day, urls: 0, counted: more.counted, unpriced: 0 - unpriced },
    });
  if (less.amount > 0 || less.counted > 0)
    await writeEntry(tx, purchase, {
      ...{ from: bucket, to: 'free', amount: less.amount, at },
      booked: { day, urls: 0, counted: less.counted },
    });
  if (to !== bucket) await writeEntry(tx, purchase, { from: bucket, to, amount, at, booked: { day, urls, counted } });
}

/** By how much the second is more than the first. */
const rise = (from: Micros, to: Micros): Micros => maxMicros(ZERO, micros(to - from));

/** What was assumed of a purchase is booked by another one, or was not charged: it counts no more, and never gets a price. */
export async function giveUpAssumed(tx: Queryable, purchase: Purchase): Promise<void> {
  const { closed } = await findMoney(tx, purchase);
  if (closed === null || closed.bucket !== 'assumed' || closed.urls === 0) return;
  const { amount, counted, urls, unpriced, day, at } = closed;
  await writeEntry(tx, purchase, {
    ...{ from: 'assumed', to: 'free', amount, at },
    booked: { counted, urls, day, unpriced: 0 - unpriced },
  });
}
