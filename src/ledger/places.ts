import { eachText, sql } from '../database/sql.ts';
import type { AccountId, Reference } from '../submission/ids.ts';
import type { Ledger } from './open-ledger.ts';

/**
 * How many of the account's jobs are newer than each of these, as far as the ledger knows: where the service's list,
 * newest first, has them at least. Reads what is newer than the oldest of them. Uses batches_by_acceptance.
 */
export async function placesOf(
  ledger: Ledger,
  account: AccountId,
  references: readonly Reference[],
): Promise<ReadonlyMap<Reference, number>> {
  const rows = await ledger.db.all(sql<{ reference: Reference; place: number }>`
    SELECT reference, place FROM (
      SELECT reference, row_number() OVER (ORDER BY accepted_at DESC, id DESC) - 1 AS place FROM batches
      WHERE account_id = ${account} AND accepted_at >= (
        SELECT min(accepted_at) FROM batches
        WHERE account_id = ${account} AND reference IN (SELECT value FROM ${eachText(references)} AS asked))) AS listed
    WHERE reference IN (SELECT value FROM ${eachText(references)} AS asked)`);
  return new Map(rows.map(({ reference, place }) => [reference, place]));
}
