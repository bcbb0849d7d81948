import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { type BatchRow, lockBatch } from './batch-queries.ts';
import { cancel } from './transitions.ts';

/**
 * Takes back a batch that charged nothing, inside a transaction. Its URLs are due again for their original reason, and the
 * next plan applies the configuration of that time. What exceeds a decision is judged again before it. Their generation stays, so the next plan makes a new batch and key.
 */
export async function dissolveBatch(
  tx: Queryable,
  row: Pick<BatchRow, 'id' | 'in_doubt_since'>,
  now: number,
  reason: Reason,
): Promise<void> {
  await cancel(tx, row, now, reason);
  const passed = reason.code === 'dissolved' && reason.why.code === 'beyond_decision' ? 0 : 1;
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  await tx.run(sql`
    UPDATE urls SET state = 'known', reason_code = NULL, reason_params = NULL, due = coalesce(m.due, 'released'), due_at = NULL, guard_passed = ${passed},
      planned_version = NULL
    FROM batch_urls AS m WHERE m.batch_id = ${row.id} AND urls.id = m.url_id AND urls.state = 'planned'`);
}

/**
 * An operator takes back a waiting batch, for example after an import was planned by mistake. Throws a LedgerError for a
 * batch that is in doubt, was accepted or has ended, because it may be charged already.
 */
export async function cancelBatch(ledger: Ledger, batch: BatchId, by: string): Promise<{ readonly urls: number }> {
  return ledger.db.tx(async (tx) => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'planned' || row.in_doubt_since !== null) {
      throw new LedgerError(
        'WRONG_STATE',
        `Batch ${batch} is ${row.state}: only a batch that was never sent can be cancelled. Nothing was changed. ` +
          (row.state === 'needs_review' || row.state === 'sending'
            ? 'It may be charged already; ask the service, then resolve it.'
            : 'There is nothing to cancel.'),
      );
    }
    await dissolveBatch(tx, row, ledger.now(), { code: 'cancelled', by });
    return { urls: row.urls };
  });
}
