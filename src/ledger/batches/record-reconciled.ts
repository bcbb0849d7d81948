import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Quarantine, Split } from '../../submission/refusal.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockAccount } from '../runs/watches.ts';
import { type Acceptance, acceptBatch } from './accept-batch.ts';
import { getBatch, getBatchAccount } from './batch-row.ts';
import type { AnswerRecorded } from './record-answer.ts';
import { refuseBatch } from './refuse-batch.ts';

/** What the service's list says of a batch whose outcome was unknown. */
export type Reconciled = ({ readonly kind: 'found' } & Acceptance) | { readonly kind: 'absent' };

/**
 * Settles a lost batch. Found: it was accepted then. Absent: it never was, so the same bytes may go again under the
 * same key, or the refusal that came after the lost attempt is carried out. After a conflict that explains itself in
 * neither way nothing is sent: a person decides. `confirmMs`: absent counts only when the list says so again, so much
 * later: services show a new job a little after they accepted it.
 */
export async function recordReconciled(
  ledger: Ledger,
  batch: BatchId,
  seen: Reconciled,
  { confirmMs = 0 }: { readonly confirmMs?: number } = {},
): Promise<AnswerRecorded> {
  const now = ledger.now();
  const account = await getBatchAccount(ledger.db, batch);
  return ledger.db.tx(async (tx): Promise<AnswerRecorded> => {
    await lockAccount(tx, account);
    const row = await getBatch(tx, batch);
    if (seen.kind === 'found') return acceptBatch(tx, now, row, seen);
    if (row.state !== 'sending' && row.state !== 'planned') return { kind: 'closed', batch, state: row.state };
    if (now - (row.absent_at ?? now) < confirmMs) {
      const notBefore = now + confirmMs;
      await tx.run(sql`
        UPDATE batches SET absent_at = coalesce(absent_at, ${now}), not_before = ${notBefore} WHERE id = ${batch}`);
      return { kind: 'in_doubt', batch, reason: 'not in the list yet: it is looked up again before that is believed' };
    }
    if (row.if_absent !== null) return refuseBatch(tx, now, row, JSON.parse(row.if_absent) as Split | Quarantine);
    if (row.needs_lookup === 1) {
      const reason = `${row.reason}. The service's list does not have it. Nothing more is sent: a person decides`;
      await tx.run(sql`UPDATE batches SET state = 'needs_review', reason = ${reason} WHERE id = ${batch}`);
      return { kind: 'needs_review', batch, reason };
    }
    // All attempts so far are known to have failed: the next one starts the clock anew.
    await tx.run(sql`
      UPDATE batches SET state = 'planned', in_doubt_since = NULL, not_before = NULL,
        reason = 'not in the list of the service: it is sent again with the same key'
      WHERE id = ${batch}`);
    // Attempt 0, which was never sent, is where the list's last word stands: without it the list would be asked for ever.
    for (let attempt = 0; attempt <= row.attempts; attempt++) {
      await tx.run(sql`
        INSERT INTO batch_answers (batch_id, attempt, at, kind, charge_state, message)
        VALUES (${batch}, ${attempt}, ${now}, 'absent', 'none', 'no answer came, and the list does not have the job')
        ON CONFLICT (batch_id, attempt) DO ${attempt === 0 ? sql`UPDATE SET at = excluded.at` : sql`NOTHING`}`);
    }
    await tx.run(sql`
      UPDATE batch_answers SET charge_state = 'none' WHERE batch_id = ${batch} AND charge_state = 'unknown'`);
    return { kind: 'retry', batch, notBefore: now };
  });
}
