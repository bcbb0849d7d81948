import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, capRefusal, isBeyondCap } from '../../submission/caps.ts';
import { CLOCK_TOLERANCE_MS, findWaitEnd, isFromFuture } from '../../submission/clock.ts';
import { computeDigest, isSameBaseUrl } from '../../submission/freeze.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, WatchId } from '../../submission/ids.ts';
import { type Reason, renderReason, renderStoredReason } from '../../submission/reason.ts';
import { findFirstSent, mustReconcile } from '../../submission/reconcile.ts';
import type { Url } from '../../url/normalize-url.ts';
import { findStop, getRefusalStop, postponeStop } from '../accounts/stops.ts';
import { countAtPrices } from '../journal/prices.ts';
import { findOtherService } from '../money/account.ts';
import { getRefusalEnd } from '../money/refusal-end.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import type { BatchState } from '../purchases/states.ts';
import { type BatchRow, lockBatch } from './batch-queries.ts';
import { dissolveBatch } from './cancel-batch.ts';
import { recordTurn } from './fair-share.ts';
import { askFunds } from './funds.ts';
import { beginAttempt, requireReview, setAside, setReason } from './transitions.ts';

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
  /** Look the job up in the service's list first, then call `recordReconciled`. */
  | ({ readonly kind: 'reconcile'; readonly tag: string; readonly firstSentAt: number } & Named)
  /** The configuration does not allow the spend now. The batch waits until then and does not block others. */
  | { readonly kind: 'not-allowed'; readonly refusal: CapRefusal; readonly until: number }
  /** The account now names a different service than its batches: nothing of it is sent. */
  | { readonly kind: 'other-service'; readonly reason: string }
  /** The ledger may not know every purchase, or the service refuses every batch: nothing of the account is sent. */
  | { readonly kind: 'held'; readonly reason: string }
  /** The batch has its response, was taken back, or needs review: send nothing. */
  | { readonly kind: 'closed'; readonly state: BatchState; readonly reason: string | null }
  | { readonly kind: 'wait'; readonly until: number };

/** The settings that apply to a batch. `watch` is null when the configuration no longer has it. */
export interface SendPolicy {
  readonly account: AccountPolicy;
  /** Its account: where it belongs now. Absent: to that of the batch. */
  readonly watch: (Pick<WatchPolicy, 'spend'> & { readonly account?: AccountId }) | null;
}

/** Maximum time before a refused batch is tried again: caps and balances may be raised. */
const ASK_AGAIN_MS = 15 * 60_000;
/** Other workers wait this long for the answer to a batch that is tried. */
const PROBE_MS = 60_000;

/**
 * The last check before money is spent. One transaction checks the caps and the floor again, compares the bytes with their
 * digest, and records the attempt before its first byte is sent. A batch that was never sent and may never be sent is
 * taken back: its URLs are due again.
 */
export async function beginSend(ledger: Ledger, batch: BatchId, { account, watch }: SendPolicy): Promise<Sending> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<Sending> => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'planned' && row.state !== 'sending') {
      return { kind: 'closed', state: row.state, reason: renderStoredReason(row) };
    }
    if (row.account_id !== account.id) throw new RangeError(`batch ${batch} belongs to account ${row.account_id}`);
    const hold = await findStop(tx, account.id, 'history');
    if (hold !== null) {
      await setReason(tx, row, hold.reason);
      return { kind: 'held', reason: renderReason(hold.reason) };
    }
    const recorded = await findOtherService(tx, account);
    if (recorded !== null) {
      return {
        kind: 'other-service',
        reason: renderReason({ code: 'other_service', account: account.id, recorded, configured: account.baseUrl }),
      };
    }
    // Planned for an address at which nothing was ever bought.
    if (!isSameBaseUrl(row.base_url, account.baseUrl)) {
      return withdraw(tx, row, now, { code: 'other_address', recorded: row.base_url, configured: account.baseUrl });
    }
    const stored = await tx.get(sql<{ body: string }>`SELECT body FROM batch_bodies WHERE batch_id = ${batch}`);
    const { idempotency_key: key, tag } = row;
    if (stored === undefined || key === null || tag === null || computeDigest(stored.body) !== row.digest) {
      const doubt = row.in_doubt_since === null ? 'none' : 'stays';
      await requireReview(tx, row, now, { code: 'body_damaged' }, { doubt });
      return { kind: 'closed', state: 'needs_review', reason: renderReason({ code: 'body_damaged' }) };
    }
    const named: Named = {
      batch,
      watch: row.watch,
      service: row.service,
      key,
      urls: (JSON.parse(stored.body) as { urls: Url[] }).urls,
    };
    const inDoubtSince = row.in_doubt_since;
    const waitsUntil = findWaitEnd(row, now);
    if (row.absent_at !== null && waitsUntil !== null) return { kind: 'wait', until: waitsUntil };
    const { afterMs } = account.reconcile ?? {};
    if (inDoubtSince !== null && (row.needs_lookup === 1 || mustReconcile(inDoubtSince, now, afterMs))) {
      await recordTurn(tx, row, now);
      return { kind: 'reconcile', tag, firstSentAt: findFirstSent(inDoubtSince, now), ...named };
    }
    // Planned long ago and never sent, as far as this ledger knows: it may be a restored copy of one that sent it.
    if (inDoubtSince === null && mustReconcile(await getLastActivity(tx, row, now), now, afterMs)) {
      await recordTurn(tx, row, now);
      return { kind: 'reconcile', tag, firstSentAt: findFirstSent(row.planned_at, now), ...named };
    }
    if (watch === null) return withdraw(tx, row, now, { code: 'watch_removed' });
    const belongsTo = watch.account ?? account.id;
    if (belongsTo !== account.id && inDoubtSince === null) {
      return dissolve(tx, row, now, { code: 'watch_moved', account: belongsTo });
    }
    if (waitsUntil !== null) return { kind: 'wait', until: waitsUntil };
    const stop = await getRefusalStop(tx, account.id);
    if (stop !== null && stop.until > now) return { kind: 'held', reason: renderReason(stop.reason) };
    await countAtPrices(tx, account.id, account.pricePerUrl, now);
    const refusal = capRefusal(await askFunds(tx, row, { account, watch }, now));
    if (refusal !== null) {
      if (inDoubtSince === null && isBeyondCap(refusal)) return dissolve(tx, row, now, refusal.reason);
      const until = Math.min(getRefusalEnd(refusal, now) ?? Number.POSITIVE_INFINITY, now + ASK_AGAIN_MS);
      await setAside(tx, row, { wait: { since: now, until }, reason: refusal.reason });
      return { kind: 'not-allowed', refusal, until };
    }
    // This batch is the one that is tried, and no other is sent until it has its answer.
    if (stop !== null) await postponeStop(tx, account.id, 'refusals', now + PROBE_MS);
    await beginAttempt(tx, row, now);
    await recordTurn(tx, row, now);
    return {
      kind: 'send',
      attempt: row.attempts + 1,
      body: stored.body,
      expectedCost: row.expected_cost,
      inDoubt: inDoubtSince !== null,
      reference: row.reference,
      ...named,
    };
  });
}

/** When this copy of the ledger last knew the batch's state for certain. A time from the future counts where it is alone. */
async function getLastActivity(tx: Queryable, { id, planned_at }: BatchRow, now: number): Promise<number> {
  const answer = await tx.get(sql<{ at: number | null }>`
    SELECT max(at) AS at FROM batch_answers WHERE batch_id = ${id} AND at <= ${now + CLOCK_TOLERANCE_MS}`);
  const answeredAt = answer?.at ?? null;
  if (answeredAt === null) return planned_at;
  return isFromFuture(planned_at, now) ? answeredAt : Math.max(planned_at, answeredAt);
}

/** Takes back a batch that is never sent as it is; it needs review when it may be charged already. */
async function withdraw(tx: Queryable, row: BatchRow, now: number, reason: Reason): Promise<Sending> {
  if (row.in_doubt_since === null) return dissolve(tx, row, now, reason);
  await requireReview(tx, row, now, reason, { doubt: 'stays' });
  return { kind: 'closed', state: 'needs_review', reason: renderReason(reason) };
}

async function dissolve(tx: Queryable, row: BatchRow, now: number, why: Reason): Promise<Sending> {
  const reason: Reason = { code: 'dissolved', why };
  await dissolveBatch(tx, row, now, reason);
  return { kind: 'closed', state: 'cancelled', reason: renderReason(reason) };
}
