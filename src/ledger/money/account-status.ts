import type { Queryable } from '../../database/database.ts';
import { eachText, type Query, sql } from '../../database/sql.ts';
import { needsRecovery } from '../../submission/history-hold.ts';
import type { AccountId } from '../../submission/ids.ts';
import {
  MONEY_REASONS,
  parseReason,
  type Reason,
  renderReason,
  type StoredReason,
  toStoredReason,
  WAITS_FOR_MONEY,
} from '../../submission/reason.ts';
import { getRefusalStop } from '../accounts/refusals.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignWait } from '../waits.ts';

/** Why an account sends nothing. */
export interface AccountStatus {
  /** Why its batches wait for money, or why all of it is held or refused; null when nothing of that is so. */
  readonly suspended: Reason | null;
  /** Why its key is not used; null when it is. */
  readonly keyRejected: Reason | null;
}

/** In which currency the service charged last, where that is not the lira. */
export async function getOtherCurrency({ db }: Ledger, account: AccountId): Promise<string | null> {
  const row = await db.get(sql<{ other_currency: string | null }>`
    SELECT other_currency FROM ledger_accounts WHERE id = ${account}`);
  return row?.other_currency ?? null;
}

/** The currency of an acceptance; null: the lira, or none was named. */
export async function recordCurrency(tx: Queryable, account: AccountId, currency: string | null): Promise<void> {
  await tx.run(sql`
    UPDATE ledger_accounts SET other_currency = ${currency}
    WHERE id = ${account} AND other_currency IS DISTINCT FROM ${currency}`);
}

interface StatusRow extends StoredReason {
  /** The first batch that waits, of those for money if there are any; null when none waits. */
  readonly waiting: number | null;
  readonly suspended_code: string | null;
  readonly suspended_params: string | null;
  readonly key_rejected_code: string | null;
  readonly key_rejected_params: string | null;
}

/** As it is recorded, whatever waits. */
async function readStatus(db: Queryable, account: AccountId): Promise<AccountStatus> {
  const row = await db.get(selectStatus(account));
  if (row === undefined) return { suspended: null, keyRejected: null };
  return parseStatus(row);
}

const parseStatus = (row: StatusRow): AccountStatus => ({
  suspended: parseReason({ reason_code: row.suspended_code, reason_params: row.suspended_params }),
  keyRejected: parseReason({ reason_code: row.key_rejected_code, reason_params: row.key_rejected_params }),
});

export async function getAccountStatus({ db }: Ledger, account: AccountId): Promise<AccountStatus> {
  const row = await db.get(selectStatus(account));
  if (row === undefined) return { suspended: null, keyRejected: null };
  const { suspended: stored, keyRejected } = parseStatus(row);
  // A hold stops everything, whatever a single batch waits for, and before anything is planned.
  if (stored?.code === 'history_hold') return { suspended: stored, keyRejected };
  if (row.waiting === null) return { suspended: null, keyRejected };
  const refused = await getRefusalStop(db, account);
  if (refused !== null) return { suspended: refused.reason, keyRejected };
  // Read from the batches: one may still wait for money although a smaller one was accepted since.
  const isForMoney = WAITS_FOR_MONEY.some((code) => code === row.reason_code);
  return { suspended: isForMoney ? parseReason(row) : stored, keyRejected };
}

/**
 * Why the account sends nothing, where the service alone can end that: the key is accepted again, or the list of jobs can be
 * read. Null without such a reason. Somebody has to ask the service, also while nothing waits to be sent.
 */
export async function findPassingStop(
  { db }: Ledger,
  account: AccountId,
): Promise<{ readonly kind: 'key_rejected' | 'suspended'; readonly reason: string } | null> {
  const { suspended, keyRejected } = await readStatus(db, account);
  if (keyRejected !== null) return { kind: 'key_rejected', reason: renderReason(keyRejected) };
  if (suspended?.code !== 'history_hold' || needsRecovery(suspended.hold)) return null;
  return { kind: 'suspended', reason: renderReason(suspended) };
}
const selectStatus = (account: AccountId): Query<StatusRow> => sql<StatusRow>`
  SELECT a.suspended_code, a.suspended_params, a.key_rejected_code, a.key_rejected_params, w.id AS waiting,
    w.reason_code, w.reason_params
  FROM ledger_accounts AS a LEFT JOIN (${selectFirstForMoney(account)}) AS w ON 1 = 1 WHERE a.id = ${account}`;

/** Batches that are looked at: a queue this long has been waiting for what its first batches wait for. */
const MOST_WAITING = 10_000;

/** The first batch that waits for money; without one the first that waits at all. Uses batches_waiting. */
const selectFirstForMoney = (account: AccountId): Query<StoredReason> => sql<StoredReason>`
  SELECT id, reason_code, reason_params FROM (
    SELECT id, reason_code, reason_params FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') ORDER BY id LIMIT ${MOST_WAITING}) AS waiting
  ORDER BY CASE WHEN reason_code IN (SELECT value FROM ${eachText(WAITS_FOR_MONEY)} AS reasons) THEN 0 ELSE 1 END, id
  LIMIT 1`;

/** The account sends nothing until its balance suffices, or until its history is compared. */
export async function suspendAccount(db: Queryable, account: AccountId, reason: Reason): Promise<void> {
  const { reason_code, reason_params } = toStoredReason(reason);
  await db.run(sql`
    UPDATE ledger_accounts SET suspended_code = ${reason_code}, suspended_params = ${reason_params}
    WHERE id = ${account}`);
}

/** The service rejects the key: the account sends nothing until it works again. */
export async function recordKeyRejected(db: Queryable, account: AccountId, reason: Reason): Promise<void> {
  const { reason_code, reason_params } = toStoredReason(reason);
  await db.run(sql`
    UPDATE ledger_accounts SET key_rejected_code = ${reason_code}, key_rejected_params = ${reason_params}
    WHERE id = ${account}`);
}

export async function endSuspension(db: Queryable, account: AccountId): Promise<void> {
  await db.run(sql`
    UPDATE ledger_accounts SET suspended_code = NULL, suspended_params = NULL
    WHERE id = ${account} AND suspended_code IS NOT NULL`);
}

/** The service accepted a request with the key. */
export async function endKeyRejection(db: Queryable, account: AccountId): Promise<void> {
  await db.run(sql`
    UPDATE ledger_accounts SET key_rejected_code = NULL, key_rejected_params = NULL
    WHERE id = ${account} AND key_rejected_code IS NOT NULL`);
}

/** The service accepted a batch: the key works, and there is money. */
export async function recordAccountWorks(db: Queryable, account: AccountId): Promise<void> {
  await db.run(sql`
    UPDATE ledger_accounts SET suspended_code = NULL, suspended_params = NULL, key_rejected_code = NULL,
      key_rejected_params = NULL
    WHERE id = ${account} AND (suspended_code IS NOT NULL OR key_rejected_code IS NOT NULL)`);
}

/** The balance suffices or the key works again. Batches that waited for money are tried again at once. */
export async function resumeAccount(
  ledger: Ledger,
  account: AccountId,
  what: 'suspended' | 'key_rejected',
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    if (what === 'key_rejected') return endKeyRejection(tx, account);
    await endSuspension(tx, account);
    await tx.run(sql`
      UPDATE batches SET ${assignWait(null)} WHERE account_id = ${account} AND state IN ('planned', 'sending')
        AND reason_code IN (SELECT value FROM ${eachText(MONEY_REASONS)} AS reasons)`);
  });
}
