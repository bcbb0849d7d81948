import { eachText, sql } from '../../database/sql.ts';
import type { AccountId, Reference } from '../../submission/ids.ts';
import type { ListPositions } from '../../submission/list-positions.ts';
import type { Ledger } from '../open-ledger.ts';

/** Reads what is newer than the oldest of the jobs. Uses batches_by_acceptance and batches_followed. */
export async function getListPositions(
  { db }: Ledger,
  account: AccountId,
  references: readonly Reference[],
): Promise<ListPositions> {
  const rows = await db.all(sql<{ reference: Reference; place: number }>`
    SELECT reference, place FROM (
      SELECT reference, row_number() OVER (ORDER BY accepted_at DESC, id DESC) - 1 AS place FROM batches
      WHERE account_id = ${account} AND accepted_at >= (
        SELECT min(accepted_at) FROM batches
        WHERE account_id = ${account} AND reference IN (SELECT value FROM ${eachText(references)} AS asked))) AS listed
    WHERE reference IN (SELECT value FROM ${eachText(references)} AS asked)`);
  const two = await db.all(sql`
    SELECT id FROM batches WHERE account_id = ${account} AND state = 'accepted' AND settled_at IS NULL LIMIT 2`);
  return { newer: new Map(rows.map(({ reference, place }) => [reference, place])), several: two.length === 2 };
}
