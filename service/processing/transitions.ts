import { type Micros, micros, negateMicros, sumMicros, timesMicros, ZERO } from '../../contract/money.ts';
import type { ServiceLevel, SubmissionState } from '../../contract/states.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { eachText, raw, sql } from '../../src/database/sql.ts';
import { type LockedAccount, lockAccountOf } from '../accounts/account.ts';
import { credit } from '../accounts/entries.ts';
import { PART, urlParts } from '../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import { required } from '../required.ts';
import type { Item, Outcome } from './processor.ts';

/**
 * queued → processing → completed | partial | failed, and queued → failed at the deadline. A terminal state is never
 * left: every statement here names the states it may start from, so that a workflow that runs twice changes nothing
 * twice.
 */

interface OpenRow {
  readonly id: number;
  readonly price: Micros;
  readonly charged: Micros;
  readonly refunded: Micros;
  readonly url_count: number;
  readonly urls_completed: number;
  readonly urls_failed: number;
}

const OPEN_COLUMNS = raw('id, price, charged, refunded, url_count, urls_completed, urls_failed');

/** queued → processing. Returns false when the submission has ended already. */
export async function begin(db: Queryable, reference: string, now: number): Promise<boolean> {
  await db.run(sql`
    UPDATE submissions SET status = 'processing', started_at = ${now} WHERE reference = ${reference} AND status = 'queued'`);
  return (await getState(db, reference)) === 'processing';
}

async function getState(db: Queryable, reference: string): Promise<SubmissionState | undefined> {
  const row = await db.get(sql<{ status: SubmissionState }>`
    SELECT status FROM submissions WHERE reference = ${reference}`);
  return row?.status;
}

export interface Times {
  readonly service: ServiceLevel;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
}

export const getTimes = (db: Queryable, reference: string): Promise<Times> =>
  db.one(sql<Times>`
    SELECT service, created_at, started_at, finished_at FROM submissions WHERE reference = ${reference}`);

export interface UndecidedItem extends Item {
  readonly decided: boolean;
}

/** The URLs of a submission in order, and whether each was decided already. */
export async function listItems(db: Queryable, reference: string): Promise<UndecidedItem[]> {
  const submission = await db.get(sql<{ id: number; url_count: number }>`
    SELECT id, url_count FROM submissions WHERE reference = ${reference}`);
  const items: UndecidedItem[] = [];
  for (const part of submission === undefined ? [] : urlParts(submission)) {
    const rows = await db.all(sql<{ position: number; url: string; status: string | null }>`
      SELECT position, url, status FROM submission_urls WHERE ${part} ORDER BY position`);
    for (const { position, url, status } of rows) items.push({ position, url, decided: status !== null });
    await yieldToEventLoop();
  }
  return items;
}

/** Writes outcomes down. A URL that was decided before keeps what it has. */
export async function recordOutcomes(
  db: Database,
  reference: string,
  outcomes: readonly Outcome[],
  now: number,
): Promise<void> {
  const groups = Map.groupBy(outcomes, ({ status, reason }) => `${status} ${reason}`);
  await db.tx(async (tx) => {
    // Locks the row: a deadline that passes now comes before these outcomes, or after them.
    const submission = await tx.get(sql<OpenRow>`
      UPDATE submissions SET status = status WHERE reference = ${reference} AND status = 'processing'
      RETURNING ${OPEN_COLUMNS}`);
    if (submission === undefined) return;
    let completed = submission.urls_completed;
    let failed = submission.urls_failed;
    for (const group of groups.values()) {
      const { status, reason } = required(group[0], 'the first of a group');
      for (let from = 0; from < group.length; from += PART.urls, await yieldToEventLoop()) {
        const positions = group.slice(from, from + PART.urls).map(({ position }) => String(position));
        const { changes } = await tx.run(sql`
          UPDATE submission_urls SET status = ${status}, reason = ${reason}, updated_at = ${now}
          WHERE submission_id = ${submission.id} AND status IS NULL
            AND position IN (SELECT CAST(value AS BIGINT) FROM ${eachText(positions)} AS e)`);
        if (status === 'completed') completed += changes;
        else failed += changes;
      }
    }
    await tx.run(sql`
      UPDATE submissions SET urls_completed = ${completed}, urls_failed = ${failed} WHERE id = ${submission.id}`);
  });
}

/** How failed URLs are paid when a submission ends. */
export interface EndOptions {
  readonly refundFailed: boolean;
  readonly now: number;
}

/**
 * processing → completed (no URL failed), failed (all did) or partial, and the refund of failed URLs where the service
 * pays one, in one transaction. Returns the state that the submission has.
 */
export async function finish(db: Database, reference: string, options: EndOptions): Promise<SubmissionState> {
  return db.tx(async (tx) => {
    const account = await lockForRefund(tx, reference, options);
    const row = await tx.get(sql<OpenRow>`
      UPDATE submissions SET finished_at = ${options.now}
      WHERE reference = ${reference} AND status = 'processing' AND urls_completed + urls_failed = url_count
      RETURNING ${OPEN_COLUMNS}`);
    if (row !== undefined) return end(tx, reference, row, account, options.now);
    const { status } = await tx.one(sql<{ status: SubmissionState }>`
      SELECT status FROM submissions WHERE reference = ${reference}`);
    return status;
  });
}

/**
 * queued or processing → partial or failed, because the deadline has passed: every URL without an outcome fails with
 * this reason. Returns false when the submission has ended already.
 */
export async function expire(db: Database, reference: string, reason: string, options: EndOptions): Promise<boolean> {
  return db.tx(async (tx) => {
    const account = await lockForRefund(tx, reference, options);
    const row = await tx.get(sql<OpenRow>`
      UPDATE submissions SET finished_at = ${options.now}
      WHERE reference = ${reference} AND status IN ('queued', 'processing') RETURNING ${OPEN_COLUMNS}`);
    if (row === undefined) return false;
    let failed = row.urls_failed;
    for (const part of urlParts(row)) {
      const { changes } = await tx.run(sql`
        UPDATE submission_urls SET status = 'failed', reason = ${reason}, updated_at = ${options.now}
        WHERE ${part} AND status IS NULL`);
      failed += changes;
      await yieldToEventLoop();
    }
    await end(tx, reference, { ...row, urls_failed: failed }, account, options.now);
    return true;
  });
}

/** The account that the end of a submission may give a refund to; undefined where the service pays none. */
const lockForRefund = async (tx: Queryable, reference: string, { refundFailed }: EndOptions) =>
  refundFailed ? lockAccountOf(tx, { submission: reference }) : undefined;

/** Writes the terminal state of a submission whose URLs all have an outcome, and the refund when `account` is given. */
async function end(
  tx: Queryable,
  reference: string,
  { id, price, charged, refunded, url_count, urls_failed }: OpenRow,
  account: LockedAccount | undefined,
  now: number,
): Promise<SubmissionState> {
  const status = urls_failed === 0 ? 'completed' : urls_failed === url_count ? 'failed' : 'partial';
  // The operator may have refunded a part already: refunds never exceed the charge.
  const left = sumMicros(charged, negateMicros(refunded));
  const amount = account === undefined ? ZERO : micros(Math.min(timesMicros(price, urls_failed), left));
  if (account !== undefined && amount > 0)
    await credit(tx, account, { kind: 'refund', amount, subject: reference }, now);
  await tx.run(sql`
    UPDATE submissions SET status = ${status}, urls_failed = ${urls_failed}, refunded = refunded + ${amount}
    WHERE id = ${id}`);
  return status;
}
