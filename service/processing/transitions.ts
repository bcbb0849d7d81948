import { type Micros, micros, negateMicros, sumMicros, timesMicros } from '../../contract/money.ts';
import type { SubmissionState } from '../../contract/states.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { eachText, sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { credit } from '../accounts/entries.ts';
import type { Item, Outcome } from './processor.ts';

/**
 * queued → processing → completed | partial | failed. A terminal state is never left: every statement here names the
 * states it may start from, so that a workflow that runs twice changes nothing twice.
 */

/** queued → processing. Returns false when the submission has ended already. */
export async function begin(db: Queryable, reference: string, now: number): Promise<boolean> {
  await db.run(sql`
    UPDATE submissions SET status = 'processing', started_at = ${now} WHERE reference = ${reference} AND status = 'queued'`);
  const row = await db.get(
    sql<{ status: SubmissionState }>`SELECT status FROM submissions WHERE reference = ${reference}`,
  );
  return row?.status === 'processing';
}

export interface UndecidedItem extends Item {
  readonly decided: boolean;
}

/** The URLs of a submission in order, and whether each was decided already. */
export async function listItems(db: Queryable, reference: string): Promise<UndecidedItem[]> {
  const rows = await db.all(sql<{ position: number; url: string; status: string | null }>`
    SELECT u.position, u.url, u.status FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
    WHERE s.reference = ${reference} ORDER BY u.position`);
  return rows.map(({ position, url, status }) => ({ position, url, decided: status !== null }));
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
    const submission = await tx.get(sql<{ id: number }>`
      SELECT id FROM submissions WHERE reference = ${reference} AND status = 'processing'`);
    if (submission === undefined) return;
    let completed = 0;
    let failed = 0;
    for (const group of groups.values()) {
      const { status, reason } = group[0]!;
      const { changes } = await tx.run(sql`
        UPDATE submission_urls SET status = ${status}, reason = ${reason}, updated_at = ${now}
        WHERE submission_id = ${submission.id} AND status IS NULL
          AND position IN (SELECT CAST(value AS BIGINT) FROM ${eachText(group.map(({ position }) => String(position)))} AS e)`);
      if (status === 'completed') completed += changes;
      else failed += changes;
    }
    await tx.run(sql`
      UPDATE submissions SET urls_completed = urls_completed + ${completed}, urls_failed = urls_failed + ${failed}
      WHERE id = ${submission.id}`);
  });
}

interface Ending {
  readonly account_id: AccountId;
  readonly status: SubmissionState;
  readonly urls_failed: number;
  readonly price: Micros;
  readonly charged: Micros;
  readonly refunded: Micros;
}

/**
 * processing → completed (no URL failed), failed (all did) or partial, and the refund of failed URLs where the service
 * pays one, in one transaction. Returns the state that the submission has.
 */
export async function finish(
  db: Database,
  reference: string,
  refundFailed: boolean,
  now: number,
): Promise<SubmissionState> {
  return db.tx(async (tx) => {
    const ended = await tx.get(sql<Ending>`
      UPDATE submissions SET finished_at = ${now}, status = CASE
        WHEN urls_failed = 0 THEN 'completed' WHEN urls_failed = url_count THEN 'failed' ELSE 'partial' END
      WHERE reference = ${reference} AND status = 'processing' AND urls_completed + urls_failed = url_count
      RETURNING account_id, status, urls_failed, price, charged, refunded`);
    if (ended === undefined) {
      const row = await tx.one(sql<{ status: SubmissionState }>`
        SELECT status FROM submissions WHERE reference = ${reference}`);
      return row.status;
    }
    // The operator may have refunded a part already: never more comes back than was charged.
    const left = sumMicros(ended.charged, negateMicros(ended.refunded));
    const amount = micros(Math.min(timesMicros(ended.price, ended.urls_failed), left));
    if (refundFailed && amount > 0) {
      await credit(tx, ended.account_id, { kind: 'refund', amount, subject: reference }, now);
      await tx.run(sql`UPDATE submissions SET refunded = refunded + ${amount} WHERE reference = ${reference}`);
    }
    return ended.status;
  });
}
