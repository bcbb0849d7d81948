import { type Micros, timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';
import { type Reason, renderReason } from '../../submission/reason.ts';
import { endStops } from '../accounts/stops.ts';
import { getChargeDay } from '../journal/days.ts';
import { bookPurchase } from '../journal/open-money.ts';
import { getCountedPrice } from '../journal/prices.ts';
import { recordService } from '../money/account.ts';
import { recordCurrency } from '../money/account-status.ts';
import { setBalance } from '../money/balance.ts';
import { computeCharge } from '../money/charge.ts';
import { learnPrice } from '../money/price.ts';
import { toPurchase } from '../purchases/follow-state.ts';
import { toLatestSql } from '../version-sql.ts';
import type { BatchRow } from './batch-queries.ts';
import { hasChangedSince, keepLaterChanges } from './keep-later-changes.ts';
import { mergeSamePurchase } from './merge-same-purchase.ts';
import { takeBackPages } from './take-back-pages.ts';
import { accept, requireReview, reviewUnsentParts, setReason } from './transitions.ts';

/** An acceptance as the service reports it, in a response or in its list. */
export interface Acceptance {
  readonly reference: Reference;
  readonly state: string | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  /** Of one URL, or of all of them. */
  readonly price?: Micros | null;
  /** Absent: not known. */
  readonly otherCurrency?: string | null;
  readonly balance: Micros | null;
  /** When the service created the job, where its list says so. */
  readonly createdAt?: number | null;
  /** What in the response contradicts the batch, as messages. */
  readonly warnings?: readonly string[];
}

export type AcceptanceRecorded =
  | {
      readonly kind: 'accepted';
      readonly batch: BatchId;
      readonly reference: Reference;
      readonly charged: Micros | null;
      /** The acceptance was already recorded: no new charge was recorded. */
      readonly again: boolean;
    }
  /** The batch is recorded under another reference, which stays. */
  | { readonly kind: 'contradicted'; readonly batch: BatchId; readonly reason: string }
  /** The service contradicts itself; nothing more of this batch is sent. */
  | { readonly kind: 'needs_review'; readonly batch: BatchId; readonly reason: string };

/** Records that the service accepted a batch: its reference, its charge (once), and its URLs as submitted. */
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
    const reason: Reason = { code: 'reference_changed', recorded: row.reference, seen: reference };
    await setReason(tx, row, reason);
    return { kind: 'contradicted', batch: row.id, reason: renderReason(reason) };
  }
  const other = await tx.get(sql<{ id: BatchId }>`
    SELECT id FROM batches WHERE account_id = ${row.account_id} AND reference = ${reference}`);
  if (other !== undefined) {
    if (await mergeSamePurchase(tx, now, row, other.id)) {
      return { kind: 'accepted', batch: other.id, reference, charged: null, again: true };
    }
    const reason: Reason = { code: 'reference_taken', reference, batch: other.id };
    if (row.state === 'planned' || row.state === 'sending')
      await requireReview(tx, row, now, reason, { doubt: 'stays' });
    else await setReason(tx, row, reason);
    return { kind: 'needs_review', batch: row.id, reason: renderReason(reason) };
  }
  const charged = await computeCharge(tx, row, accepted);
  const { configured } = await getCountedPrice(tx, row.account_id, row.service);
  const times = { createdAt: accepted.createdAt ?? null, sentAt: row.in_doubt_since, attempts: row.attempts };
  await bookPurchase(tx, toPurchase({ kind: 'batch', id: row.id }, row), {
    to: charged.reported ? 'charged' : 'assumed',
    amount: charged.amount,
    atLeast: timesMicros(configured, row.urls),
    urls: row.urls,
    day: getChargeDay(times, now),
    at: now,
  });
  if (charged.updatesPrice && charged.amount !== null) {
    await learnPrice(tx, {
      account: row.account_id,
      service: row.service,
      charge: charged.amount,
      urls: row.urls,
      // A replayed response reports the price of the original request.
      at: Math.min(now, row.in_doubt_since ?? now),
      now,
    });
  }
  if (accepted.balance !== null) await setBalance(tx, row.account_id, accepted.balance, now);
  const late = row.state === 'refused' || row.state === 'cancelled';
  const warnings = [...(accepted.warnings ?? []), ...charged.warnings];
  const reason: Reason | null = late
    ? { code: 'accepted_after_refusal', reference }
    : warnings.length > 0
      ? { code: 'warnings', warnings }
      : null;
  await accept(tx, row, {
    reference,
    now,
    charge: charged.amount,
    jobState: describeStart(accepted.state),
    reason,
  });
  if (accepted.otherCurrency !== undefined) await recordCurrency(tx, row.account_id, accepted.otherCurrency);
  await recordService(tx, { id: row.account_id, baseUrl: row.base_url });
  await endStops(tx, row.account_id, 'key', 'refusals');
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  if (late && reason !== null) {
    // Its parts were planned because it was refused. Unsent parts need review, so that their URLs are not bought twice.
    await reviewUnsentParts(tx, row, now, { code: 'parent_accepted', batch: row.id });
    await takeBackPages(tx, row, now, reference);
    return { kind: 'needs_review', batch: row.id, reason: renderReason(reason) };
  }
  await tx.run(sql`
    UPDATE urls SET state = 'submitted', reason_code = NULL, reason_params = NULL, bought_at = ${now},
      bought_version = CASE WHEN ${hasChangedSince(row, accepted.createdAt ?? null)} THEN bought_version
        ELSE ${toLatestSql('bought_version', 'coalesce(planned_version, version)')} END,
      planned_version = NULL
    WHERE id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${row.id}) AND state = 'planned'`);
  await keepLaterChanges(tx, row, accepted.createdAt ?? null);
  return { kind: 'accepted', batch: row.id, reference, charged: charged.amount, again: false };
}

/** A job counts as queued until a poll: the state in an acceptance may describe the request. */
const describeStart = (state: string | null): string => (state === 'processing' ? state : 'queued');
