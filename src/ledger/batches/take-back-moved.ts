import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, WatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockBatch } from './batch-queries.ts';
import { dissolveBatch } from './cancel-batch.ts';

/**
 * What of a watch that belongs to this account now waits in its other accounts, and was never sent.
 * Uses batches_waiting, whose own condition stands beside.
 */
export const selectMoved = (watch: WatchId, account: AccountId): Query<{ readonly id: BatchId }> => sql`
  SELECT b.id FROM ledger_accounts AS a CROSS JOIN batches AS b
  WHERE a.id <> ${account} AND b.account_id = a.id AND b.state IN ('planned', 'sending') AND b.state = 'planned'
    AND b.in_doubt_since IS NULL AND b.watch_id = (SELECT id FROM watches WHERE name = ${watch})
  ORDER BY b.id`;

/**
 * Takes back the batches that a watch has planned under an account that it belonged to before, and that were never sent:
 * its URLs are due again, and are bought with the money of its account of today. A batch in doubt stays where it is.
 */
export async function takeBackMoved(ledger: Ledger, watch: WatchId, account: AccountId): Promise<void> {
  const why: Reason = { code: 'watch_moved', account };
  for (const { id } of await ledger.db.all(selectMoved(watch, account))) {
    await ledger.db.tx(async (tx) => {
      const row = await lockBatch(tx, id);
      if (row.state !== 'planned' || row.in_doubt_since !== null) return;
      await dissolveBatch(tx, row, ledger.now(), { code: 'dissolved', why });
    });
  }
}
