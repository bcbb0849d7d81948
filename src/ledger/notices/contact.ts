import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** Since when the service of an account has not responded, and why; null while it does. */
export interface LostContact {
  readonly since: number;
  readonly failure: string;
}

/** `failure`: why there was no usable response; null for one. */
export async function recordContact({ db, now }: Ledger, account: AccountId, failure: string | null): Promise<void> {
  const at = now();
  if (failure === null) {
    await db.run(sql`
      INSERT INTO account_contact (account_id, responded_at) VALUES (${account}, ${at})
      ON CONFLICT (account_id) DO UPDATE SET responded_at = ${at}, failing_since = NULL, failure = NULL`);
    return;
  }
  await db.run(sql`
    INSERT INTO account_contact (account_id, failing_since, failure) VALUES (${account}, ${at}, ${failure})
    ON CONFLICT (account_id) DO UPDATE SET
      failing_since = coalesce(account_contact.failing_since, ${at}), failure = ${failure}`);
}

/** When the service last responded; null when it never did. */
export async function findLastResponse({ db }: Ledger, account: AccountId): Promise<number | null> {
  const row = await db.get(sql<{ responded_at: number | null }>`
    SELECT responded_at FROM account_contact WHERE account_id = ${account}`);
  return row?.responded_at ?? null;
}

export async function findLostContact({ db }: Ledger, account: AccountId): Promise<LostContact | null> {
  const row = await db.get(sql<{ failing_since: number | null; failure: string | null }>`
    SELECT failing_since, failure FROM account_contact WHERE account_id = ${account}`);
  if (row === undefined || row.failing_since === null) return null;
  return { since: row.failing_since, failure: row.failure ?? '' };
}
