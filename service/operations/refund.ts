import { formatTry, type Micros, negateMicros, sumMicros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { AccountError, lockAccount } from '../accounts/account.ts';
import { OPERATOR, type Operator, recordEvent } from '../accounts/audit-events.ts';
import { findByReference } from '../accounts/entries.ts';
import { assertText } from '../accounts/top-up.ts';
import { findSubmission, giveBack, type SubmissionRecord } from './submissions.ts';

export interface Refund {
  /** The reference of the submission. */
  readonly submission: string;
  /** All that is left of the charge when absent. */
  readonly amount?: Micros;
  readonly reason: string;
  /** The operator's own reference: the same one again moves no money. */
  readonly reference?: string;
}

export interface Refunded {
  readonly submission: SubmissionRecord;
  readonly amount: Micros;
  /** The reference was used before for this refund: nothing was moved now. */
  readonly repeated: boolean;
}

/**
 * Gives back what a submission cost, never more than was charged for it. It does not stop the submission. Only inside a
 * transaction.
 */
export async function refundSubmission(
  tx: Queryable,
  wanted: Refund,
  now: number,
  by: Operator = OPERATOR,
): Promise<Refunded> {
  const { reason, reference = null } = wanted;
  assertText(reason);
  if (reference !== null) assertText(reference);
  const { account_id } = await findSubmission(tx, wanted.submission);
  const account = await lockAccount(tx, account_id);
  // Read again: another refund may have ended while this one waited for its turn.
  const submission = await findSubmission(tx, wanted.submission);
  const earlier = reference === null ? undefined : await findByReference(tx, account, reference);
  if (earlier !== undefined) {
    const same =
      earlier.kind === 'refund' &&
      earlier.subject === wanted.submission &&
      (wanted.amount === undefined || wanted.amount === earlier.amount);
    if (same) return { submission, amount: earlier.amount, repeated: true };
    throw new AccountError(
      `the reference "${reference}" belongs to another entry of ${formatTry(earlier.amount)}; nothing was changed`,
    );
  }
  const left = sumMicros(submission.charged, negateMicros(submission.refunded));
  const amount = wanted.amount ?? left;
  if (amount <= 0 || amount > left) {
    throw new AccountError(
      `only ${formatTry(left)} of the ${formatTry(submission.charged)} charged for ${wanted.submission} can be refunded; ` +
        'nothing was changed',
    );
  }
  const balance = await giveBack(tx, account, wanted.submission, { amount, reason, operatorReference: reference }, now);
  const details = { reference: wanted.submission, amount_micros: amount, balance_micros: balance, reason };
  await recordEvent(tx, { account, event: 'balance.refunded', actor: by, details }, now);
  return { submission: await findSubmission(tx, wanted.submission), amount, repeated: false };
}
