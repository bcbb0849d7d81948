import type { ServiceLevel } from '../../../contract/states.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** An open job that is no longer polled: the service reported no end within the tracking timeout. */
export interface OverdueJob {
  readonly batch: BatchId;
  readonly reference: Reference;
  readonly watch: WatchId;
  readonly urls: number;
  readonly state: string;
  readonly acceptedAt: number;
}

/** The account's open jobs that were accepted before the timeout of their service level, oldest first. */
export async function listOverdueJobs(
  ledger: Ledger,
  account: AccountId,
  timeouts: Readonly<Record<ServiceLevel, number>>,
): Promise<OverdueJob[]> {
  const now = ledger.now();
  return ledger.db.all(selectOverdue(account, { standard: now - timeouts.standard, fast: now - timeouts.fast }));
}

/** Uses batches_followed. Postgres takes values that only a CASE returns for text, and compares no number with them. */
export const selectOverdue = (
  account: AccountId,
  acceptedBefore: Readonly<Record<ServiceLevel, number>>,
): Query<OverdueJob> => sql<OverdueJob>`
  SELECT b.id AS batch, b.reference, w.name AS watch, b.urls, b.job_state AS state, b.accepted_at AS "acceptedAt"
  FROM batches AS b JOIN watches AS w ON w.id = b.watch_id
  WHERE b.account_id = ${account} AND b.state = 'accepted' AND b.settled_at IS NULL
    AND b.accepted_at <= ${Math.max(acceptedBefore.standard, acceptedBefore.fast)}
    AND b.accepted_at <= CASE b.service
      WHEN 'fast' THEN CAST(${acceptedBefore.fast} AS BIGINT) ELSE CAST(${acceptedBefore.standard} AS BIGINT) END
  ORDER BY b.accepted_at, b.id`;
