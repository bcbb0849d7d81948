import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import { LedgerError } from '../ledger-error.ts';
import type { PriceBasis } from '../policy.ts';

/** Where a batch stands. */
export type BatchState =
  /** Frozen; nothing of it is out. */
  | 'planned'
  /** An attempt is out, or the outcome of one is unknown. */
  | 'sending'
  /** The service has taken it. */
  | 'accepted'
  /** The service has not; its URLs are in other batches or in quarantine. Nothing was charged. */
  | 'refused'
  /** Nothing more is sent; a person decides. */
  | 'needs_review';

export interface BatchRow {
  readonly id: BatchId;
  readonly account_id: AccountId;
  readonly watch_id: number;
  readonly watch: WatchId;
  readonly run_id: number | null;
  readonly parent_id: BatchId | null;
  readonly service: ServiceLevel;
  readonly project: string;
  readonly normalized_project: string;
  readonly base_url: string;
  readonly idempotency_key: IdempotencyKey;
  readonly digest: string;
  readonly tag: string;
  readonly urls: number;
  readonly planned_at: number;
  readonly expected_cost: Micros | null;
  readonly price_basis: PriceBasis;
  readonly state: BatchState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly in_doubt_since: number | null;
  readonly not_before: number | null;
  /** 1: it must be looked up in the service's list before anything is sent. */
  readonly needs_lookup: number;
  readonly if_absent: string | null;
  /** When the service's list first did not have it. */
  readonly absent_at: number | null;
  readonly reference: Reference | null;
  readonly accepted_at: number | null;
  readonly job_state: string | null;
  readonly ended_at: number | null;
  readonly settled_at: number | null;
}

export async function getBatch(db: Queryable, batch: BatchId): Promise<BatchRow> {
  const row = await db.get(sql<BatchRow>`
    SELECT b.*, w.name AS watch FROM batches AS b JOIN watches AS w ON w.id = b.watch_id WHERE b.id = ${batch}`);
  if (row !== undefined) return row;
  throw new LedgerError('UNKNOWN_BATCH', `The ledger knows no batch ${batch}. Nothing was sent or changed.`);
}

/** The account a batch belongs to, to take its turn before the batch is read for good. */
export async function getBatchAccount(db: Queryable, batch: BatchId): Promise<AccountId> {
  return (await getBatch(db, batch)).account_id;
}
