import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, capRefusal } from '../../submission/caps.ts';
import { computeDigest } from '../../submission/freeze.ts';
import type { BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import { mustReconcile } from '../../submission/reconcile.ts';
import type { Url } from '../../url/normalize-url.ts';
import { computeCurrentCost } from '../money/price.ts';
import { getRefusalEnd } from '../money/spend.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { lockAccount } from '../runs/watches.ts';
import { type BatchRow, type BatchState, getBatch } from './batch-row.ts';

interface Named {
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly service: ServiceLevel;
  readonly key: IdempotencyKey;
  readonly urls: readonly Url[];
}

export type Sending =
  /** Send exactly this, then `recordAnswer` with the same `attempt`. */
  | ({
      readonly kind: 'send';
      readonly attempt: number;
      /** The exact text to send as UTF-8. */
      readonly body: string;
      readonly expectedCost: Micros | null;
      /** An earlier attempt may have been accepted. */
      readonly inDoubt: boolean;
      readonly reference: Reference | null;
    } & Named)
  /** Look for the job in the service's list first, then `recordReconciled`. */
  | ({ readonly kind: 'reconcile'; readonly tag: string; readonly firstSentAt: number } & Named)
  /** The configuration does not allow the spend. `until`: when it is worth asking again, if time alone helps. */
  | { readonly kind: 'not-allowed'; readonly refusal: CapRefusal; readonly until: number | null }
  /** It has its answer, or a person must decide: nothing is to be sent. */
  | { readonly kind: 'closed'; readonly state: BatchState; readonly reason: string | null }
  | { readonly kind: 'wait'; readonly until: number };

/**
 * The last gate before money: in one transaction the caps and the floor are asked again, the bytes are compared with
 * their digest, and the attempt is on record before its first byte is sent.
 */
export async function beginSend(
  ledger: Ledger,
  batch: BatchId,
  { account, watch }: { account: AccountPolicy; watch: Pick<WatchPolicy, 'spend'> },
): Promise<Sending> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<Sending> => {
    await lockAccount(tx, account.id);
    const row = await getBatch(tx, batch);
    if (row.state !== 'planned' && row.state !== 'sending') {
      return { kind: 'closed', state: row.state, reason: row.reason };
    }
    if (row.account_id !== account.id) throw new RangeError(`batch ${batch} belongs to account ${row.account_id}`);
    const kept = await tx.get(sql<{ body: string }>`SELECT body FROM batch_bodies WHERE batch_id = ${batch}`);
    if (kept === undefined || computeDigest(kept.body) !== row.digest) return stopDamaged(tx, row);
    const named: Named = {
      batch,
      watch: row.watch,
      service: row.service,
      key: row.idempotency_key,
      urls: (JSON.parse(kept.body) as { urls: Url[] }).urls,
    };
    const inDoubtSince = row.in_doubt_since;
    const confirming = row.absent_at !== null && row.not_before !== null && row.not_before > now;
    if (confirming) return { kind: 'wait', until: row.not_before };
    const { afterMs } = account.reconcile ?? {};
    if (inDoubtSince !== null && (row.needs_lookup === 1 || mustReconcile(inDoubtSince, now, afterMs))) {
      return { kind: 'reconcile', tag: row.tag, firstSentAt: inDoubtSince, ...named };
    }
    // Planned long ago and never sent, says this ledger; it may be a restored copy of one that has sent it.
    if (inDoubtSince === null && mustReconcile(await getLastActivity(tx, row), now, afterMs)) {
      return { kind: 'reconcile', tag: row.tag, firstSentAt: row.planned_at, ...named };
    }
    if (row.not_before !== null && row.not_before > now) return { kind: 'wait', until: row.not_before };
    const refusal = await refused(tx, row, account, watch, now);
    if (refusal !== null) {
      await tx.run(sql`UPDATE batches SET reason = ${refusal.message} WHERE id = ${batch}`);
      return { kind: 'not-allowed', refusal, until: getRefusalEnd(refusal, now) };
    }
    await tx.run(sql`
      UPDATE batches SET state = 'sending', reason = NULL, not_before = NULL, attempts = attempts + 1,
        
        in_doubt_since = coalesce(in_doubt_since, ${now}), absent_at = NULL
      WHERE id = ${batch}`);
    await tx.run(sql`UPDATE watches SET served_at = ${now} WHERE id = ${row.watch_id}`);
    return {
      kind: 'send',
      attempt: row.attempts + 1,
      body: kept.body,
      expectedCost: row.expected_cost,
      inDoubt: inDoubtSince !== null,
      reference: row.reference,
      ...named,
    };
  });
}

/** When this copy of the ledger last knew for certain where the batch stands. */
async function getLastActivity(tx: Queryable, { id, planned_at }: BatchRow): Promise<number> {
  const answer = await tx.get(
    sql<{ at: number | null }>`SELECT max(at) AS at FROM batch_answers WHERE batch_id = ${id}`,
  );
  return Math.max(planned_at, answer?.at ?? 0);
}

/** The caps as they are now: the configuration, the price or the balance may have changed since the plan. */
async function refused(
  tx: Queryable,
  row: BatchRow,
  account: AccountPolicy,
  watch: Pick<WatchPolicy, 'spend'>,
  now: number,
): Promise<CapRefusal | null> {
  const question = await buildSpendQuestion(
    tx,
    account,
    watch.spend,
    { watchId: row.watch_id, runId: row.run_id },
    { count: 'on their way', except: { kind: 'batch', id: row.id } },
    now,
  );
  return capRefusal({ ...question, cost: await computeCurrentCost(tx, row, account) });
}

async function stopDamaged(tx: Queryable, row: BatchRow): Promise<Sending> {
  const reason =
    'its stored bytes are not those that its key was made for: sending them could be charged a second time. ' +
    'Nothing was sent; restore the ledger from a copy, or let a person release its URLs';
  await tx.run(sql`UPDATE batches SET state = 'needs_review', reason = ${reason} WHERE id = ${row.id}`);
  return { kind: 'closed', state: 'needs_review', reason };
}
