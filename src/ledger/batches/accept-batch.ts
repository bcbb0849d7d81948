import { type Micros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';
import { setBalance } from '../money/balance.ts';
import { computeCharge } from '../money/charge.ts';
import { learnPrice } from '../money/price.ts';
import type { BatchRow } from './batch-row.ts';

/** An acceptance as the service tells it, in an answer or in its list. */
export interface Acceptance {
  readonly reference: Reference;
  readonly state: string | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  readonly balance: Micros | null;
  /** What the answer says that does not fit the batch, in sentences for a person. */
  readonly warnings?: readonly string[];
}

export type AcceptanceRecorded =
  | {
      readonly kind: 'accepted';
      readonly batch: BatchId;
      readonly reference: Reference;
      readonly charged: Micros | null;
      /** It was on record before: nothing was charged to the ledger now. */
      readonly again: boolean;
    }
  /** What the service says does not fit what it said before; nothing more is sent of this batch. */
  | { readonly kind: 'needs_review'; readonly batch: BatchId; readonly reason: string };

/** Records that the service has taken a batch: its reference, its charge (once), and that its URLs are submitted. */
export async function acceptBatch(
  tx: Queryable,
  now: number,
  row: BatchRow,
  accepted: Acceptance,
): Promise<AcceptanceRecorded> {
  const { reference } = accepted;
  if (row.reference !== null) {
    if (row.reference === reference) {
      return { kind: 'accepted', batch: row.id, reference, charged: null, again: true };
    }
    return recordWarning(
      tx,
      row,
      `the service first called this batch ${row.reference} and now ${reference}: it may be charged twice. ` +
        `${row.reference} stays recorded; ask the service about ${reference}`,
    );
  }
  const other = await tx.get(sql<{ id: number }>`
    SELECT id FROM batches WHERE account_id = ${row.account_id} AND reference = ${reference}`);
  if (other !== undefined) {
    return stop(
      tx,
      row,
      `the service calls this batch ${reference}, as it called batch ${other.id}: one of them may not be processed. ` +
        `Nothing more is sent of this one; ask the service which URLs ${reference} has`,
    );
  }
  const charged = await computeCharge(tx, row, accepted);
  await tx.run(sql`
    INSERT INTO charges (account_id, watch_id, run_id, kind, of_id, urls, amount, reported, at)
    VALUES (${row.account_id}, ${row.watch_id}, ${row.run_id}, 'batch', ${row.id}, ${row.urls}, ${charged.amount ?? ZERO},
      ${charged.reported ? 1 : 0}, ${now})
    ON CONFLICT (kind, of_id) DO NOTHING`);
  if (charged.updatesPrice && charged.amount !== null) {
    await learnPrice(tx, {
      account: row.account_id,
      service: row.service,
      charge: charged.amount,
      urls: row.urls,
      now,
    });
  }
  if (accepted.balance !== null) await setBalance(tx, row.account_id, accepted.balance, now);
  await tx.run(sql`
    UPDATE batches SET reference = ${reference}, accepted_at = ${now}, charge = ${charged.amount},
      job_state = ${describeStart(accepted.state)}, in_doubt_since = NULL, needs_lookup = 0, if_absent = NULL
    WHERE id = ${row.id}`);
  await tx.run(sql`
    UPDATE ledger_accounts SET suspended = NULL, key_rejected = NULL
    WHERE id = ${row.account_id} AND (suspended IS NOT NULL OR key_rejected IS NOT NULL)`);
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  if (row.state === 'refused') return acceptedAfterAll(tx, row, reference);
  const odd = [...(accepted.warnings ?? []), ...charged.warnings].join('; ');
  await tx.run(sql`UPDATE batches SET state = 'accepted', reason = ${odd === '' ? null : odd} WHERE id = ${row.id}`);
  await tx.run(sql`
    UPDATE urls SET state = 'submitted', reason = NULL, bought_at = ${now}
    WHERE id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${row.id}) AND state = 'planned'`);
  return { kind: 'accepted', batch: row.id, reference, charged: charged.amount, again: false };
}

/** A job is queued until a look has shown more: what an acceptance calls its state may be meant for the request. */
const describeStart = (state: string | null): string => (state === 'processing' ? state : 'queued');

/** Its parts were planned because it was refused. Those that were not sent stop; a person settles the rest. */
async function acceptedAfterAll(tx: Queryable, row: BatchRow, reference: Reference): Promise<AcceptanceRecorded> {
  await tx.run(sql`
    UPDATE batches SET state = 'needs_review', reason = ${`its URLs were accepted with batch ${row.id} after all`}
    WHERE parent_id = ${row.id} AND state = 'planned'`);
  return stop(
    tx,
    row,
    `the service accepted this batch as ${reference} after it had refused it. ` +
      'Its parts stop where they were not sent; ask the service about those that were',
  );
}

async function stop(tx: Queryable, row: BatchRow, reason: string): Promise<AcceptanceRecorded> {
  await tx.run(sql`UPDATE batches SET state = 'needs_review', reason = ${reason} WHERE id = ${row.id}`);
  return { kind: 'needs_review', batch: row.id, reason };
}

/** The batch goes on as it is recorded, with the sentence for a person. */
async function recordWarning(tx: Queryable, row: BatchRow, reason: string): Promise<AcceptanceRecorded> {
  await tx.run(sql`UPDATE batches SET reason = ${reason} WHERE id = ${row.id}`);
  return { kind: 'needs_review', batch: row.id, reason };
}
