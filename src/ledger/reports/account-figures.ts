import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import { notAfter } from '../../submission/clock.ts';
import type { AccountId } from '../../submission/ids.ts';
import { sumOfBucket } from '../journal/open-money.ts';
import { sumCharged } from '../journal/sums.ts';
import { findBalance } from '../money/balance.ts';
import type { Ledger } from '../open-ledger.ts';

/** Counts stop here: a queue this long is an alarm whatever its length, and a scrape must cost little. */
export const MAX_COUNTED = 10_000;

export interface Queue {
  readonly count: number;
  /** Since when the oldest waits; null when there is none. */
  readonly oldest: number | null;
}

/** The state of an account, for monitoring. */
export interface AccountFigures {
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  readonly chargedToday: Micros;
  readonly chargedThisMonth: Micros;
  /** Batches that are due: planned, and not accepted yet. */
  readonly due: Queue;
  readonly inDoubt: Queue;
  readonly needsReview: number;
  /** Jobs that the service accepted and that have not ended. */
  readonly pending: Queue;
}

/** Reads through indexes only, and never more than MAX_COUNTED rows of a queue. */
export async function getAccountFigures({ db, now }: Ledger, account: AccountId): Promise<AccountFigures> {
  const money = await findBalance(db, account);
  const charged = await sumCharged(db, account, now());
  return {
    balance: money?.amount ?? null,
    balanceAt: notAfter(now(), money?.at ?? null),
    chargedToday: charged.day,
    chargedThisMonth: charged.month,
    due: await readQueue(db, selectDue(account)),
    inDoubt: await readQueue(db, selectInDoubt(account)),
    needsReview: (await readQueue(db, selectInReview(account))).count,
    pending: await readQueue(db, selectPending(account)),
  };
}

/** Since when the oldest batch that is planned and not accepted waits; null without any. */
export const getOldestDue = async ({ db }: Ledger, account: AccountId): Promise<number | null> =>
  (await readQueue(db, selectDue(account))).oldest;

const readQueue = (db: Queryable, rows: Query<{ at: number }>): Promise<Queue> =>
  db.one(sql<Queue>`SELECT count(*) AS count, min(at) AS oldest FROM (${rows}) AS queue`);

/** Uses batches_waiting. Ids count up with the time of planning, so the oldest are among those read. */
export const selectDue = (account: AccountId) => sql<{ at: number }>`
  SELECT planned_at AS at FROM batches WHERE account_id = ${account} AND state IN ('planned', 'sending')
  ORDER BY id LIMIT ${MAX_COUNTED}`;

/** Uses batches_in_doubt. */
export const selectInDoubt = (account: AccountId) => sql<{ at: number }>`
  SELECT in_doubt_since AS at FROM batches WHERE account_id = ${account} AND in_doubt_since IS NOT NULL
  LIMIT ${MAX_COUNTED}`;

/** Uses batches_in_review. */
export const selectInReview = (account: AccountId) => sql<{ at: number }>`
  SELECT planned_at AS at FROM batches WHERE account_id = ${account} AND state = 'needs_review' LIMIT ${MAX_COUNTED}`;

/** What the batches that need a review may have been charged. Uses batches_in_review and journal_by_purchase. */
export async function sumInReview(db: Queryable, account: AccountId): Promise<Micros> {
  const { amount } = await db.one(sql<{ amount: Micros }>`
    SELECT ${sumOfBucket('sent')} AS amount FROM journal
    WHERE kind = 'batch' AND of_id IN (SELECT id FROM batches WHERE account_id = ${account} AND state = 'needs_review')`);
  return amount;
}

/** Uses batches_followed. */
export const selectPending = (account: AccountId) => sql<{ at: number }>`
  SELECT accepted_at AS at FROM batches WHERE account_id = ${account} AND state = 'accepted' AND settled_at IS NULL
  ORDER BY accepted_at LIMIT ${MAX_COUNTED}`;
