import { type Micros, micros, negateMicros, sumMicros, timesMicros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { AccountError, type AccountId, type LockedAccount, lockAccount } from '../accounts/account.ts';
import { OPERATOR, type Operator, recordEvent } from '../accounts/audit-events.ts';
import { credit, ENTRY_COLUMNS, type Entry } from '../accounts/entries.ts';
import { assertText } from '../accounts/top-up.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow } from '../submissions/record.ts';

/** A submission with its account and the entries that carry its reference. */
export interface SubmissionRecord extends SubmissionRow {
  readonly account_id: AccountId;
  readonly account: string;
  readonly dispatched_at: number | null;
  readonly entries: readonly Entry[];
}

/** Throws an AccountError when there is no submission with that reference. */
export async function findSubmission(db: Queryable, reference: string): Promise<SubmissionRecord> {
  const row = await db.get(sql<Omit<SubmissionRecord, 'account' | 'entries'>>`
    SELECT ${SUBMISSION_COLUMNS}, account_id, dispatched_at FROM submissions WHERE reference = ${reference}`);
  if (row === undefined) throw new AccountError(`there is no submission ${reference}; nothing was changed`);
  const { name } = await db.one(sql<{ name: string }>`SELECT name FROM accounts WHERE id = ${row.account_id}`);
  const entries = await db.all(sql<Entry>`
    SELECT ${ENTRY_COLUMNS} FROM entries
    WHERE account_id = ${row.account_id} AND created_at >= ${row.created_at} AND subject = ${reference} ORDER BY id`);
  return { ...row, account: name, entries };
}

/**
 * Hands a submission to processing again, as if it had never been dispatched. Where its workflow still runs, nothing
 * happens: a workflow is started once for a reference. Only inside a transaction.
 */
export async function requeueSubmission(
  tx: Queryable,
  reference: string,
  now: number,
  by: Operator = OPERATOR,
): Promise<SubmissionRecord> {
  const before = await findSubmission(tx, reference);
  const { changes } = await tx.run(sql`
    UPDATE submissions SET dispatched_at = NULL WHERE reference = ${reference} AND status IN ('queued', 'processing')`);
  if (changes === 0) {
    throw new AccountError(`submission ${reference} has ended as ${before.status}; nothing was changed`);
  }
  await recordEvent(
    tx,
    { account: before.account_id, event: 'submission.requeued', actor: by, details: { reference } },
    now,
  );
  return { ...before, dispatched_at: null };
}

export interface Failed {
  readonly submission: SubmissionRecord;
  /** URLs that were not decided before, and failed now. */
  readonly urls: number;
  readonly refunded: Micros;
}

interface ToFail {
  readonly reference: string;
  /** Shown to the customer beside each URL. */
  readonly reason: string;
  readonly refund: boolean;
}

/**
 * Ends a submission that will not end by itself: URLs without an outcome fail, and what they cost is refunded. URLs
 * that were decided keep their outcome. A workflow that still runs finds it ended and changes nothing. Only inside a
 * transaction.
 */
export async function failSubmission(
  tx: Queryable,
  { reference, reason, refund }: ToFail,
  now: number,
  by: Operator = OPERATOR,
): Promise<Failed> {
  assertText(reason);
  const before = await findSubmission(tx, reference);
  const account = await lockAccount(tx, before.account_id);
  const taken = await tx.get(sql<{ id: number }>`
    UPDATE submissions SET status = 'processing', started_at = coalesce(started_at, ${now}), dispatched_at = ${now}
    WHERE reference = ${reference} AND status IN ('queued', 'processing') RETURNING id`);
  if (taken === undefined) {
    throw new AccountError(`submission ${reference} has ended as ${before.status}; nothing was changed`);
  }
  const { changes: urls } = await tx.run(sql`
    UPDATE submission_urls SET status = 'failed', reason = ${reason}, updated_at = ${now}
    WHERE submission_id = ${taken.id} AND status IS NULL`);
  const ended = await tx.one(sql<Pick<SubmissionRow, 'price' | 'charged' | 'refunded'>>`
    UPDATE submissions SET urls_failed = urls_failed + ${urls}, finished_at = ${now}, status = CASE
      WHEN urls_failed + ${urls} = 0 THEN 'completed' WHEN urls_failed + ${urls} = url_count THEN 'failed'
      ELSE 'partial' END
    WHERE id = ${taken.id} RETURNING price, charged, refunded`);
  const left = sumMicros(ended.charged, negateMicros(ended.refunded));
  const refunded = refund ? micros(Math.min(timesMicros(ended.price, urls), left)) : micros(0);
  if (refunded > 0) await giveBack(tx, account, reference, { amount: refunded, reason, operatorReference: null }, now);
  await recordEvent(
    tx,
    {
      account: before.account_id,
      event: 'submission.failed',
      actor: by,
      details: { reference, urls, refunded_micros: refunded, reason },
    },
    now,
  );
  return { submission: await findSubmission(tx, reference), urls, refunded };
}

interface GivenBack {
  readonly amount: Micros;
  readonly reason: string;
  readonly operatorReference: string | null;
}

/** Adds a refund to the balance and to the submission. The caller has checked that this much is left of the charge. */
export async function giveBack(
  tx: Queryable,
  account: LockedAccount,
  reference: string,
  { amount, reason, operatorReference }: GivenBack,
  now: number,
): Promise<Micros> {
  await tx.run(sql`UPDATE submissions SET refunded = refunded + ${amount} WHERE reference = ${reference}`);
  const posting = { kind: 'refund', amount, subject: reference, reference: operatorReference, reason } as const;
  return credit(tx, account, posting, now);
}
