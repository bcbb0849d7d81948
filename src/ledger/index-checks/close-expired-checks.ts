import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { DEFAULT_KEY_TRUST_MS, mustReconcile } from '../../submission/reconcile.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import type { CheckRow } from './check-queue.ts';
import { cancelCheck, stopCheck } from './record-check.ts';

type Closing = Pick<AccountPolicy, 'id' | 'reconcile'>;

/** At most one of each watch. Uses checks_open. */
export const selectOpenChecks = (account: AccountId): Query<CheckRow> => sql<CheckRow>`
  SELECT * FROM checks WHERE account_id = ${account} AND state IN ('planned', 'sending') ORDER BY id`;

/**
 * Closes the index-checks of an account whose key is no longer trusted, whatever became of their watches. Until then they
 * count against every cap; nobody else closes the check of a watch that was removed, or that checks no more. One that may have
 * been charged counts as charged: the service has no list of checks to look it up in. One that was never sent is taken back.
 */
export async function closeExpiredChecks(tx: Queryable, account: Closing, now: number): Promise<void> {
  const { afterMs } = account.reconcile ?? {};
  for (const row of await listExpired(tx, account, now)) {
    if (row.in_doubt_since === null) await cancelCheck(tx, now, row, { code: 'check_outdated' });
    else {
      // After that it was not sent again.
      const lastSentAt = row.in_doubt_since + Math.max(afterMs ?? 0, DEFAULT_KEY_TRUST_MS);
      await stopCheck(tx, now, row, { reason: { code: 'check_key_expired' }, charged: true, lastSentAt });
    }
  }
}

/** The same, between two sends: takes the lock of the account only where there is one to close. */
export async function endExpiredChecks({ db, now }: Ledger, account: Closing): Promise<void> {
  if ((await listExpired(db, account, now())).length === 0) return;
  await db.tx(async (tx) => {
    await lockAccount(tx, account.id);
    await closeExpiredChecks(tx, account, now());
  });
}

async function listExpired(db: Queryable, { id, reconcile }: Closing, now: number): Promise<CheckRow[]> {
  const open = await db.all(selectOpenChecks(id));
  return open.filter(({ in_doubt_since, planned_at }) =>
    mustReconcile(in_doubt_since ?? planned_at, now, reconcile?.afterMs),
  );
}
