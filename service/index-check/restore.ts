import type { Micros } from '../../contract/money.ts';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { credit } from '../accounts/entries.ts';

/**
 * Gives the charge of a check back and frees its key (spec 4.8 rule 3). Whoever comes first does it; a second call
 * finds the check no longer executing and does nothing, and the entry itself is unique per charge.
 */
export async function restore(db: Database, id: string, now: number): Promise<boolean> {
  return db.tx(async (tx) => {
    const row = await tx.get(sql<{ account_id: AccountId; charged: Micros; charge_id: number }>`
      UPDATE index_checks SET status = 'restored', idempotency_key = NULL, finished_at = ${now}
      WHERE id = ${id} AND status = 'executing' RETURNING account_id, charged, charge_id`);
    if (row === undefined) return false;
    const { account_id: account, charged: amount, charge_id: reverses } = row;
    await credit(tx, account, { kind: 'restore', amount, subject: id, reverses }, now);
    return true;
  });
}

/** Restores what a crashed process left behind: every check whose lease has ended. Uses index_checks_running. */
export async function restoreExpired(db: Database, now: number): Promise<number> {
  const expired = await db.all(sql<{ id: string }>`
    SELECT id FROM index_checks WHERE status = 'executing' AND lease_until <= ${now} ORDER BY lease_until LIMIT 100`);
  let restored = 0;
  for (const { id } of expired) if (await restore(db, id, now)) restored++;
  return restored;
}
