import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { type AccountStatus, getAccountStatus } from '../money/account-status.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';
import { isWaitingSql } from '../waits.ts';

/**
 * How many jobs of the run's watch have not ended, or have URLs without a result: those that an earlier run or `recover`
 * left open included. Uses batches_followed.
 */
export async function countOpenJobs({ db }: Ledger, run: RunId): Promise<number> {
  const { account_id: account, watch_id: watch } = await getRun(db, run);
  const { jobs } = await db.one(sql<{ jobs: number }>`
    SELECT count(*) AS jobs FROM batches
    WHERE account_id = ${account} AND watch_id = ${watch} AND state = 'accepted' AND (settled_at IS NULL OR id IN (
      SELECT batch_id FROM unread_jobs WHERE account_id = ${account} AND asked IS NOT NULL))`);
  return jobs;
}

/** What earlier runs of a watch left without a response of the service, or for your review. */
export interface EarlierBatches {
  readonly batches: number;
  readonly urls: number;
  /** Those that are sent now: nothing holds their account, and they wait for no time of their own. */
  readonly due: number;
  /** Batches that need review; they are not among `batches`. */
  readonly needsReview: number;
  readonly account: AccountStatus;
}

/** Uses batches_waiting and batches_in_review. */
export async function getEarlierBatches(ledger: Ledger, run: RunId): Promise<EarlierBatches> {
  const { id, account_id, watch_id: watch } = await getRun(ledger.db, run);
  const account = await getAccountStatus(ledger, account_id);
  const row = await ledger.db.one(sql<{ batches: number; urls: number; due: number }>`
    SELECT count(*) AS batches, coalesce(sum(urls), 0) AS urls,
      coalesce(sum(CASE WHEN ${isWaitingSql(ledger.now())} THEN 0 ELSE 1 END), 0) AS due
    FROM batches
    WHERE account_id = ${account_id} AND state IN ('planned', 'sending') AND watch_id = ${watch} AND (run_id IS NULL OR run_id <> ${id})`);
  const review = await ledger.db.one(sql<{ batches: number }>`
    SELECT count(*) AS batches FROM batches
    WHERE account_id = ${account_id} AND state = 'needs_review' AND watch_id = ${watch}
      AND (run_id IS NULL OR run_id <> ${id})`);
  const isHeld = account.suspended !== null || account.keyRejected !== null;
  return { ...row, due: isHeld ? 0 : row.due, needsReview: review.batches, account };
}
