import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';

/** An account that sends nothing, because the service refused its last batches alike. */
export interface RefusalStop {
  /** The next attempt, with one batch. */
  readonly until: number;
  readonly reason: Extract<Reason, { code: 'requests_refused' }>;
}

export interface RefusalRow {
  readonly status: number;
  /** The first of them, a batch and its parts counted once, as JSON. */
  readonly batches: string;
  readonly refusals: number;
  readonly message: string;
  readonly until: number | null;
}

export const getRefusals = (db: Queryable, account: AccountId): Promise<RefusalRow | undefined> =>
  db.get(sql<RefusalRow>`
    SELECT status, batches, refusals, message, until FROM account_refusals WHERE account_id = ${account}`);

/** The stop of an account; null when it may send. */
export async function getRefusalStop(db: Queryable, account: AccountId): Promise<RefusalStop | null> {
  const row = await getRefusals(db, account);
  return row === undefined || row.until === null ? null : toRefusalStop(account, { ...row, until: row.until });
}

export const toRefusalStop = (account: AccountId, row: RefusalRow & { readonly until: number }): RefusalStop => {
  const { status, refusals, message: text, until } = row;
  return { until, reason: { code: 'requests_refused', account, status, batches: refusals, text, until } };
};

/** Other workers wait this long for the answer to a probe. */
const PROBE_MS = 60_000;

/** The time of the next attempt has come: this batch is it, and no other is sent until it has its answer. */
export async function claimProbe(tx: Queryable, account: AccountId, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE account_refusals SET until = ${now + PROBE_MS} WHERE account_id = ${account} AND until IS NOT NULL`);
}

/** The service accepted a batch: nothing is refused alike any more. */
export async function forgetRefusals(tx: Queryable, account: AccountId): Promise<void> {
  await tx.run(sql`DELETE FROM account_refusals WHERE account_id = ${account}`);
}
