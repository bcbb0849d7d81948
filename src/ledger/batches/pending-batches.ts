import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

export interface Pending {
  /** The batches that may be sent now, first things first. */
  readonly batches: readonly BatchId[];
  /** When the next of those that wait may be sent; null when none waits. */
  readonly nextAt: number | null;
}

/**
 * What the account has to send: fast before standard; among the watches the one that was served longest ago; of a watch
 * the small batches before the large, so that a fresh article does not wait behind a relaunch. Uses batches_waiting.
 */
export async function listPendingBatches(ledger: Ledger, account: AccountId, limit = 10): Promise<Pending> {
  const now = ledger.now();
  const ready = await ledger.db.all(sql<{ id: BatchId }>`
    SELECT b.id FROM batches AS b JOIN watches AS w ON w.id = b.watch_id
    WHERE b.account_id = ${account} AND b.state IN ('planned', 'sending')
      AND (b.not_before IS NULL OR b.not_before <= ${now})
    ORDER BY CASE b.service WHEN 'fast' THEN 0 ELSE 1 END, w.served_at, b.urls, b.id LIMIT ${limit}`);
  const later = await ledger.db.get(sql<{ at: number | null }>`
    SELECT min(not_before) AS at FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') AND not_before > ${now}`);
  return { batches: ready.map(({ id }) => id), nextAt: later?.at ?? null };
}
