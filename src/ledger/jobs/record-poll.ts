import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import { type Reason, renderReason } from '../../submission/reason.ts';
import { decideStateMove, isKnownState, isOver, type ShownJob } from '../../submission/states.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { BatchRow } from '../batches/batch-queries.ts';
import { setReason } from '../batches/transitions.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';

/** An accepted batch whose job has not ended, or whose URLs have no result yet. */
export interface OpenSubmission {
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly key: IdempotencyKey | null;
  readonly reference: Reference;
  readonly service: ServiceLevel;
  readonly urls: number;
  readonly state: string;
  readonly acceptedAt: number;
  /** Null when nobody knows it. */
  readonly charge: Micros | null;
}

/** The account's tracked jobs accepted since then, oldest first. Uses batches_followed. */
export const listOpenSubmissions = (ledger: Ledger, account: AccountId, since = 0): Promise<OpenSubmission[]> =>
  listFollowed(ledger, account, sql`b.accepted_at >= ${since} ORDER BY b.accepted_at, b.id`);

/** The account's tracked jobs that `courier recover` added after that batch. Uses the primary key. */
export const listRecoveredSubmissions = (
  ledger: Ledger,
  account: AccountId,
  after: BatchId,
): Promise<OpenSubmission[]> =>
  listFollowed(ledger, account, sql`b.id > ${after} AND b.idempotency_key IS NULL ORDER BY b.id`);

const listFollowed = ({ db }: Ledger, account: AccountId, which: Query): Promise<OpenSubmission[]> =>
  db.all(sql<OpenSubmission>`
    SELECT b.id AS batch, w.name AS watch, b.idempotency_key AS key, b.reference, b.service, b.urls,
      b.job_state AS state, b.accepted_at AS "acceptedAt", b.charge
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id
    WHERE b.account_id = ${account} AND b.state = 'accepted' AND b.settled_at IS NULL AND ${which}`);

/** The id of the newest batch; 0 without one. */
export async function getLastBatch(ledger: Ledger): Promise<BatchId> {
  const { id } = await ledger.db.one(sql<{ id: BatchId }>`SELECT coalesce(max(id), 0) AS id FROM batches`);
  return id;
}

export type PollRecorded =
  | { readonly kind: 'same' | 'moved'; readonly state: string; readonly terminal: boolean }
  /** The service contradicts the end of the job: the recorded state stays, and nothing is bought again. */
  | { readonly kind: 'refused'; readonly state: string; readonly terminal: true; readonly message: string };

/** Records the result of a poll. A job that is over has `ended_at`, and its state is final. */
export async function recordPoll(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  seen: ShownJob,
): Promise<PollRecorded> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<PollRecorded> => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    const kind = decideStateMove({ state: job.job_state, over: job.ended_at !== null }, seen.state);
    await tx.run(sql`UPDATE batches SET polls = polls + 1, polled_at = ${now} WHERE id = ${job.id}`);
    if (kind === 'refused') {
      const reason: Reason = { code: 'state_reversed', recorded: job.job_state, seen: seen.state };
      await setReason(tx, job, reason);
      return { kind, state: job.job_state, terminal: true, message: renderReason(reason) };
    }
    const endedAt = job.ended_at ?? (isOver(seen) ? now : null);
    await tx.run(sql`UPDATE batches SET job_state = ${seen.state}, ended_at = ${endedAt} WHERE id = ${job.id}`);
    if (endedAt === null && !isKnownState(seen.state, seen.terminalStates)) {
      await setReason(tx, job, { code: 'state_unknown', state: seen.state });
    } else if (job.reason_code === 'state_unknown') {
      await setReason(tx, job, null);
    }
    return { kind, state: seen.state, terminal: endedAt !== null };
  });
}

/** A batch that is accepted has the state of its job. */
export type JobRow = Pick<BatchRow, 'id' | 'watch_id' | 'reason_code' | 'reason_params' | 'ended_at' | 'settled_at'> & {
  readonly job_state: string;
};

export async function getJob(tx: Queryable, account: AccountId, reference: Reference): Promise<JobRow> {
  const row = await tx.get(sql<JobRow>`
    SELECT id, watch_id, job_state, reason_code, reason_params, ended_at, settled_at FROM batches
    WHERE account_id = ${account} AND reference = ${reference}`);
  if (row !== undefined) return row;
  throw new LedgerError(
    'UNKNOWN_BATCH',
    `The ledger has no job ${reference} of account ${account}. Nothing was changed.`,
  );
}

/** The recorded state of a job. */
export const getJobState = async ({ db }: Ledger, account: AccountId, reference: Reference): Promise<string> =>
  (await getJob(db, account, reference)).job_state;
