import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { type BatchRow, lockBatch } from './batch-queries.ts';
import { cancel } from './transitions.ts';

/**
 * Takes back a batch of which nothing was charged, inside a transaction. Its URLs are due again for the reason they
 * were due for, and the next plan decides by the configuration of its day. They keep their generation, so that batch
 * and key of the next plan are new.
 */
export async function dissolveBatch(
  tx: Queryable,
  row: Pick<BatchRow, 'id' | 'in_doubt_since'>,
  now: number,
  reason: Reason,
): Promise<void> {
  await cancel(tx, row, now, reason);
  await tx.run(sql`DELETE FROM batch_bodies WHERE batch_id = ${row.id}`);
  await tx.run(sql`
    UPDATE urls SET state = 'known', reason_code = NULL, reason_params = NULL, due = coalesce(m.due, 'released'), due_at = NULL, guard_passed = 1,
      bought_lastmod = NULL
    FROM batch_urls AS m WHERE m.batch_id = ${row.id} AND urls.id = m.url_id AND urls.state = 'planned'`);
}

/**
 * An operator takes back a batch that waits, such as one of an import that was planned by mistake. Refuses (LedgerError)
 * a batch that is in doubt, was accepted or has ended: that one may be charged already.
 */
export async function cancelBatch(ledger: Ledger, batch: BatchId, by: string): Promise<{ readonly urls: number }> {
  return ledger.db.tx(async (tx) => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'planned' || row.in_doubt_since !== null) {
      throw new LedgerError(
        'WRONG_STATE',
        `Batch ${batch} is ${row.state}: only a batch of which nothing was sent can be cancelled. Nothing was changed. ` +
          (row.state === 'needs_review' || row.state === 'sending'
            ? 'It may be charged already; ask the service, then resolve it.'
            : 'It needs no cancelling.'),
      );
    }
    await dissolveBatch(tx, row, ledger.now(), { code: 'cancelled', by });
    return { urls: row.urls };
  });
}
