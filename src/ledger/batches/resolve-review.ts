import { type Query, sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import { parseReason } from '../../submission/reason.ts';
import { getChargeDay } from '../journal/days.ts';
import { assumeCharged } from '../journal/open-money.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignDecision } from '../operator-decision.ts';
import { toPurchase } from '../purchases/follow-state.ts';
import { type BatchRow, getBatch, lockBatch } from './batch-queries.ts';
import { selectFamily, selectRoot } from './family.ts';
import { resolveReview } from './transitions.ts';

/**
 * Records an operator's decision on a batch that needs review. `release`: its URLs may be bought again, as their next
 * generation; only when the service has confirmed that it charged nothing. `leave`: they are not bought again
 * before they change; one that may have been charged counts as charged. What another job has bought meanwhile, one that `courier recover` took in for example, stays as it is: its
 * URLs are no longer planned. Returns false when the batch does not need review.
 */
export async function resolveNeedsReview(ledger: Ledger, batch: BatchId, how: 'release' | 'leave'): Promise<boolean> {
  return ledger.db.tx(async (tx) => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'needs_review') return false;
    const now = ledger.now();
    if (how === 'leave' && row.in_doubt_since !== null) {
      // Nobody will know whether it was charged: it counts on, as if it was.
      const times = { createdAt: null, sentAt: row.in_doubt_since, attempts: row.attempts };
      await assumeCharged(tx, toPurchase({ kind: 'batch', id: batch }, row), {
        urls: row.urls,
        day: getChargeDay(times, now),
        at: now,
      });
    }
    await resolveReview(tx, row, now, { code: 'resolved', how, before: parseReason(row) });
    await tx.run(sql`
      UPDATE urls SET state = 'held',
        ${assignDecision(how, { code: how === 'release' ? 'released' : 'left_in_review' })}
      WHERE state = 'planned' AND id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${batch})`);
    return true;
  });
}

/** Which other batches to resolve with one that needs review. */
export type ReviewScope =
  /** The other parts of the batch that it is a part of. */
  | 'parts'
  /** Every batch of the account that waits for the same kind of reason. */
  | 'same-reason';

interface Waiting {
  readonly id: BatchId;
  readonly in_doubt_since: number | null;
}

/**
 * The batches that need review for the same cause as this one, by what the scope names. `certain`: every answer to them
 * says that nothing was charged, so one decision may cover them. `inDoubt`: one of their attempts may have been charged,
 * so each needs an answer of the service of its own.
 */
export async function listReviewedWith(
  { db }: Ledger,
  batch: BatchId,
  scope: ReviewScope,
): Promise<{ readonly certain: readonly BatchId[]; readonly inDoubt: readonly BatchId[] }> {
  const waiting = await db.all(scope === 'parts' ? selectParts(batch) : selectSameReason(await getBatch(db, batch)));
  const others = waiting.filter(({ id }) => id !== batch);
  return {
    certain: others.filter(({ in_doubt_since }) => in_doubt_since === null).map(({ id }) => id),
    inDoubt: others.filter(({ in_doubt_since }) => in_doubt_since !== null).map(({ id }) => id),
  };
}

const selectParts = (batch: BatchId): Query<Waiting> => sql<Waiting>`
  SELECT id, in_doubt_since FROM batches
  WHERE id IN (${selectFamily(selectRoot(batch))}) AND state = 'needs_review' ORDER BY id`;

/** Texts differ by the request id that they quote: the code decides, and for an answer its outcome. */
function selectSameReason({ account_id, reason_code, reason_params }: BatchRow): Query<Waiting> {
  const outcome = reason_code === 'answer' && reason_params !== null ? getOutcome(reason_params) : null;
  const pattern = outcome === null ? '%' : `%"outcome":${JSON.stringify(outcome)}%`;
  return sql<Waiting>`
    SELECT id, in_doubt_since FROM batches
    WHERE account_id = ${account_id} AND state = 'needs_review' AND reason_code IS NOT DISTINCT FROM ${reason_code}
      AND coalesce(reason_params, '') LIKE ${pattern} ORDER BY id`;
}

const getOutcome = (params: string): string => (JSON.parse(params) as { readonly outcome: string }).outcome;
