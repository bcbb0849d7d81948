import { sql } from '../../database/sql.ts';
import { isFromFuture } from '../../submission/clock.ts';
import type { BatchId } from '../../submission/ids.ts';
import { parseReason, type Reason, renderReason } from '../../submission/reason.ts';
import type { Quarantine, Split } from '../../submission/refusal.ts';
import type { Ledger } from '../open-ledger.ts';
import { type Acceptance, acceptBatch } from './accept-batch.ts';
import { lockBatch } from './batch-queries.ts';
import type { AnswerRecorded } from './record-answer.ts';
import { refuseBatch } from './refuse-batch.ts';
import { awaitConfirmation, requireReview, returnToPlanned } from './transitions.ts';

/** What the service's list says about a batch in doubt. */
export type Reconciled = ({ readonly kind: 'found' } & Acceptance) | { readonly kind: 'absent' };

/**
 * Resolves a batch in doubt. Found: it was accepted. Absent: it was not, so the same bytes are sent again with the same
 * key, or the refusal that followed the attempt in doubt is carried out. A conflict that neither explains needs review.
 * `confirmMs`: absence counts only when the list confirms it this much later, because new jobs appear with a delay.
 */
export async function recordReconciled(
  ledger: Ledger,
  batch: BatchId,
  result: Reconciled,
  { confirmMs = 0 }: { readonly confirmMs?: number } = {},
): Promise<AnswerRecorded> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<AnswerRecorded> => {
    const row = await lockBatch(tx, batch);
    if (result.kind === 'found') return acceptBatch(tx, now, row, result);
    if (row.state !== 'sending' && row.state !== 'planned') return { kind: 'closed', batch, state: row.state };
    const absentAt = row.absent_at === null || isFromFuture(row.absent_at, now) ? now : row.absent_at;
    if (now - absentAt < confirmMs) {
      await awaitConfirmation(tx, row, { absentAt, wait: { since: now, until: now + confirmMs } });
      return {
        kind: 'in_doubt',
        batch,
        reason: 'not in the list yet; the list is read once more to confirm that',
      };
    }
    if (row.if_absent !== null) return refuseBatch(tx, now, row, JSON.parse(row.if_absent) as Split | Quarantine);
    if (row.needs_lookup === 1) {
      const reason: Reason = { code: 'lookup_contradiction', before: parseReason(row) };
      await requireReview(tx, row, now, reason, { doubt: 'stays' });
      return { kind: 'needs_review', batch, reason: renderReason(reason) };
    }
    // Every attempt so far failed for certain: the next one restarts the period in which the key is trusted.
    await returnToPlanned(tx, row, now, { wait: null, reason: { code: 'lookup_absent' } });
    // Attempt 0 was never sent and records when the list was read; without it the list would be read endlessly.
    for (let attempt = 0; attempt <= row.attempts; attempt++) {
      await tx.run(sql`
        INSERT INTO batch_answers (batch_id, attempt, at, kind, charge_state, message)
        VALUES (${batch}, ${attempt}, ${now}, 'absent', 'none', 'no response, and the list does not have the job')
        ON CONFLICT (batch_id, attempt) DO ${attempt === 0 ? sql`UPDATE SET at = excluded.at` : sql`NOTHING`}`);
    }
    await tx.run(sql`
      UPDATE batch_answers SET charge_state = 'none' WHERE batch_id = ${batch} AND charge_state = 'unknown'`);
    return { kind: 'retry', batch, notBefore: now };
  });
}
