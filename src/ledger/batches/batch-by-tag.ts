import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/**
 * A batch of ours that has no reference and carries this tag in its project: a job of the service with it is this batch,
 * accepted without our knowing, or sent by a later copy of the ledger than this one.
 */
export async function findUnansweredByTag(ledger: Ledger, account: AccountId, tag: string): Promise<BatchId | null> {
  const row = await ledger.db.get(sql<{ id: BatchId }>`
    SELECT id FROM batches WHERE account_id = ${account} AND tag = ${tag} AND reference IS NULL
      AND state IN ('planned', 'sending', 'needs_review') LIMIT 1`);
  return row?.id ?? null;
}
