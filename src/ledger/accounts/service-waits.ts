import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** What an account waits for before anything of it is sent: no batch has an attempt that could say it. */
export interface ServiceWait {
  /** What the service last answered, or that it did not. */
  readonly why: string;
  readonly since: number;
  /** When that was. */
  readonly at: number;
  /** Not before then it is asked again. */
  readonly until: number;
}

/** `limited`: no request was allowed, so what was answered before still stands. */
export async function recordServiceWait(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  account: AccountId,
  { why, limited, waitMs }: { readonly why: string; readonly limited: boolean; readonly waitMs: number },
): Promise<void> {
  const at = now();
  const until = at + waitMs;
  const answer = limited ? sql`` : sql`why = excluded.why, at = excluded.at,`;
  await db.run(sql`
    INSERT INTO account_waits (account_id, why, since, at, until) VALUES (${account}, ${why}, ${at}, ${at}, ${until})
    ON CONFLICT (account_id) DO UPDATE SET ${answer} until = excluded.until`);
}

/** The service has answered. */
export async function endServiceWait(db: Queryable, account: AccountId): Promise<void> {
  await db.run(sql`DELETE FROM account_waits WHERE account_id = ${account}`);
}

export async function findServiceWait(db: Queryable, account: AccountId): Promise<ServiceWait | null> {
  const row = await db.get(
    sql<ServiceWait>`SELECT why, since, at, until FROM account_waits WHERE account_id = ${account}`,
  );
  return row ?? null;
}
