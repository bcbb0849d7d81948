import { sql } from '../../database/sql.ts';
import type { AccountId, Reference } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** Whether a job of the service is on record for a batch already. Uses batches_by_reference. */
export async function isKnownReference(ledger: Ledger, account: AccountId, reference: Reference): Promise<boolean> {
  const row = await ledger.db.get(sql`
    SELECT 1 FROM batches WHERE account_id = ${account} AND reference = ${reference}`);
  return row !== undefined;
}
