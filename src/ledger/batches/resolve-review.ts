import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import { parseReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignReason } from '../reason-columns.ts';
import { lockBatch } from './batch-queries.ts';
import { resolveReview } from './transitions.ts';

/**
 * Records an operator's decision on a batch that needs review. `release`: its URLs may be bought again, as their next
 * generation; only when the service has confirmed that it charged nothing. `leave`: they are not bought again. Returns
 * false when the batch does not need review.
 */
export async function resolveNeedsReview(ledger: Ledger, batch: BatchId, how: 'release' | 'leave'): Promise<boolean> {
  return ledger.db.tx(async (tx) => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'needs_review') return false;
    await resolveReview(tx, row, ledger.now(), { code: 'resolved', how, before: parseReason(row) });
    const released = how === 'release';
    await tx.run(sql`
      UPDATE urls SET state = 'held', due = ${released ? 'released' : null}, due_at = NULL, guard_passed = 1,
        ${assignReason({ code: released ? 'released' : 'left_in_review' })}
      WHERE state IN ('planned', 'submitted') AND id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${batch})`);
    return true;
  });
}
