import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import type { StoredReason } from '../../submission/reason.ts';
import type { BatchInDoubt } from '../../submission/reconcile.ts';
import { findFirstSent } from '../../submission/reconcile.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import type { PriceBasis } from '../policy.ts';
import type { BatchState } from '../purchases/states.ts';
import { isWaitingSql } from '../waits.ts';
import { inFairOrder } from './fair-share.ts';

/** A row of `batches`, with the name of its watch. Every other batch type is a subset of this one. */
export interface BatchRow extends StoredReason {
  readonly id: BatchId;
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly watch: WatchId;
  readonly run_id: number | null;
  readonly parent_id: BatchId | null;
  readonly service: ServiceLevel;
  /** As sent: with the tag. */
  readonly project: string;
  readonly normalized_project: string;
  readonly base_url: string;
  /** Null for a batch that `courier recover` added from the service: another ledger sent it. */
  readonly idempotency_key: IdempotencyKey | null;
  readonly digest: string | null;
  readonly tag: string | null;
  readonly urls: number;
  readonly planned_at: number;
  readonly expected_cost: Micros | null;
  readonly price_basis: PriceBasis;
  readonly state: BatchState;
  readonly attempts: number;
  /** Since when the outcome of an attempt is unknown; null when nothing can have been charged. */
  readonly in_doubt_since: number | null;
  readonly not_before: number | null;
  /** When that wait began. */
  readonly waits_since: number | null;
  /** 1: look the batch up in the service's list before sending anything. */
  readonly needs_lookup: number;
  /** The refusal to carry out when the list does not have the batch, as JSON. */
  readonly if_absent: string | null;
  /** When the service's list first did not have it. */
  readonly absent_at: number | null;
  readonly reference: Reference | null;
  readonly accepted_at: number | null;
  readonly charge: Micros | null;
  readonly job_state: string | null;
  readonly ended_at: number | null;
  readonly settled_at: number | null;
  readonly completed: number;
  readonly failed: number;
}

export async function getBatch(db: Queryable, batch: BatchId): Promise<BatchRow> {
  const row = await db.get(sql<BatchRow>`
    SELECT b.*, w.name AS watch FROM batches AS b JOIN watches AS w ON w.id = b.watch_id WHERE b.id = ${batch}`);
  if (row !== undefined) return row;
  throw new LedgerError('UNKNOWN_BATCH', `The ledger has no batch ${batch}. Nothing was sent or changed.`);
}

/** Locks the batch's account with `lockAccount`, then reads the batch: nobody changes it before the commit. */
export async function lockBatch(tx: Queryable, batch: BatchId): Promise<BatchRow> {
  await tx.run(sql`
    UPDATE ledger_accounts SET lock_version = lock_version + 1
    WHERE id = (SELECT account_id FROM batches WHERE id = ${batch})`);
  return getBatch(tx, batch);
}

/** The fields that the dispatcher needs before it sends a batch. */
export type PendingBatch = Pick<
  BatchRow,
  | 'id'
  | 'watch'
  | 'watch_id'
  | 'run_id'
  | 'service'
  | 'urls'
  | 'attempts'
  | 'expected_cost'
  | 'not_before'
  | 'waits_since'
  | 'reason_code'
>;

export interface Pending {
  /** The batches that may be sent now, in sending order. */
  readonly batches: readonly PendingBatch[];
  /** When the next waiting batch may be sent; null when none waits. */
  readonly nextAt: number | null;
}

/**
 * Lists the batches that an account has to send, in the fair order of its watches. `waiting` includes batches that wait
 * for a later time. Uses batches_waiting.
 */
export async function listPendingBatches(
  ledger: Ledger,
  account: AccountId,
  { limit = 10, waiting = false }: { readonly limit?: number; readonly waiting?: boolean } = {},
): Promise<Pending> {
  const now = ledger.now();
  const batches = await ledger.db.all(sql<PendingBatch>`
    SELECT b.id, w.name AS watch, b.watch_id, b.run_id, b.service, b.urls, b.attempts, b.expected_cost,
      b.not_before, b.waits_since, b.reason_code
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id JOIN ledger_accounts AS a ON a.id = b.account_id
    WHERE b.account_id = ${account} AND b.state IN ('planned', 'sending')
      AND (${waiting ? 1 : 0} = 1 OR NOT ${isWaitingSql(now)})
    ORDER BY ${inFairOrder}
    LIMIT ${limit}`);
  const later = await ledger.db.get(sql<{ at: number | null }>`
    SELECT min(not_before) AS at FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') AND ${isWaitingSql(now)}`);
  return { batches, nextAt: later?.at ?? null };
}

/** Whether a batch already has this job. Uses batches_by_reference. */
export async function isKnownReference(ledger: Ledger, account: AccountId, reference: Reference): Promise<boolean> {
  const row = await ledger.db.get(sql`
    SELECT 1 FROM batches WHERE account_id = ${account} AND reference = ${reference}`);
  return row !== undefined;
}

/**
 * Finds the batch without a reference that has this tag in its project. A job with that tag is this batch: its response
 * was lost, or a later copy of the ledger sent it.
 */
export async function findUnansweredByTag(ledger: Ledger, account: AccountId, tag: string): Promise<BatchId | null> {
  const row = await ledger.db.get(sql<{ id: BatchId }>`
    SELECT id FROM batches WHERE account_id = ${account} AND tag = ${tag} AND reference IS NULL
      AND state IN ('planned', 'sending', 'needs_review') LIMIT 1`);
  return row?.id ?? null;
}

/** The bytes that are sent for a batch, until it is answered. */
export const findBody = async (db: Queryable, batch: BatchId): Promise<string | null> =>
  (await db.get(sql<{ body: string }>`SELECT body FROM batch_bodies WHERE batch_id = ${batch}`))?.body ?? null;

/** The batches of an account whose job, if there is one, the ledger does not know. */
export async function listBatchesInDoubt(
  ledger: Ledger,
  account: AccountId,
): Promise<readonly (BatchInDoubt & { readonly id: BatchId })[]> {
  const rows = await ledger.db.all(sql<{ id: BatchId; tag: string; since: number; body: string }>`
    SELECT b.id, b.tag, b.in_doubt_since AS since, c.body FROM batches AS b JOIN batch_bodies AS c ON c.batch_id = b.id
    WHERE b.account_id = ${account} AND b.in_doubt_since IS NOT NULL AND b.reference IS NULL
      AND b.state IN ('planned', 'sending', 'needs_review') ORDER BY b.id`);
  return rows.map(({ id, tag, since, body }) => {
    const { urls } = JSON.parse(body) as { readonly urls: readonly string[] };
    return { id, tag, urls, firstSentAt: findFirstSent(since, ledger.now()) };
  });
}
