import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { HistoryHold } from '../../submission/history-hold.ts';
import type { AccountId } from '../../submission/ids.ts';

interface HoldRow {
  readonly hold: string | null;
}

/** The hold on an account's spending; null without one. */
export async function getHistoryHold(db: Queryable, account: AccountId): Promise<HistoryHold | null> {
  const row = await db.get(sql<HoldRow>`SELECT hold FROM account_history WHERE account_id = ${account}`);
  return row === undefined || row.hold === null ? null : (JSON.parse(row.hold) as HistoryHold);
}
