import type { Database } from '../../src/database/database.ts';
import { OPERATOR, type Operator } from '../accounts/audit-events.ts';
import { type Difference, findDifferences } from './audit.ts';
import { type Refund, type Refunded, refundSubmission } from './refund.ts';
import {
  type Failed,
  failSubmission,
  findSubmission,
  requeueSubmission,
  type SubmissionRecord,
} from './submissions.ts';

export type Operations = ReturnType<typeof openOperations>;

/** Operator actions on submissions, and the audit of all accounts. */
export function openOperations(db: Database, now: () => number = Date.now, by: Operator = OPERATOR) {
  return {
    /** A submission of any account, with the entries that belong to it. Throws an AccountError when it does not exist. */
    submission: (reference: string): Promise<SubmissionRecord> => findSubmission(db, reference),
    /** Hands a submission that has not ended to processing again. */
    requeue: (reference: string): Promise<SubmissionRecord> =>
      db.tx((tx) => requeueSubmission(tx, reference, now(), by)),
    /** Ends a submission: what is not decided yet fails, and its price is refunded unless `refund` is false. */
    fail: (reference: string, wanted: { readonly reason: string; readonly refund: boolean }): Promise<Failed> =>
      db.tx((tx) => failSubmission(tx, { reference, ...wanted }, now(), by)),
    /** Gives back what a submission cost, or a part of it. */
    refund: (wanted: Refund): Promise<Refunded> => db.tx((tx) => refundSubmission(tx, wanted, now(), by)),
    /** Every inconsistency of balances and charges; none in a healthy database. */
    audit: (): Promise<Difference[]> => findDifferences(db),
  };
}
