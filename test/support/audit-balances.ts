import type { Micros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

/** Accounts whose balance is not the sum of their entries: must always be empty. */
export async function auditBalances(db: Queryable): Promise<{ name: string; balance: Micros; entries: Micros }[]> {
  return db.all(sql<{ name: string; balance: Micros; entries: Micros }>`
    SELECT a.name, a.balance, coalesce(e.total, 0) AS entries
    FROM accounts AS a
    LEFT JOIN (SELECT account_id, sum(amount) AS total FROM entries GROUP BY account_id) AS e ON e.account_id = a.id
    WHERE a.balance <> coalesce(e.total, 0)`);
}
