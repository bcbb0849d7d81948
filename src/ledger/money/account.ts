import type { Queryable } from '../../database/database.ts';
import { eachText, sql } from '../../database/sql.ts';
import { isSameBaseUrl } from '../../submission/freeze.ts';
import type { AccountId } from '../../submission/ids.ts';
import {
  MONEY_REASONS,
  renderReason,
  renderStoredReason,
  type StoredReason,
  WAITS_FOR_MONEY,
} from '../../submission/reason.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { lockAccount } from '../runs/watches.ts';
import { forgetIdentity } from './confirm-account.ts';

export interface AccountStatus {
  /** Why its batches wait for money; null when they do not. */
  readonly suspended: string | null;
  /** Why its key is not used; null when it is. */
  readonly keyRejected: string | null;
}

export async function getAccountStatus(ledger: Ledger, account: AccountId): Promise<AccountStatus> {
  const { db } = ledger;
  const row = await db.get(sql<AccountStatus>`
    SELECT suspended, key_rejected AS "keyRejected" FROM ledger_accounts WHERE id = ${account}`);
  const waiting = await db.all(sql<StoredReason>`
    SELECT reason_code, reason_params FROM batches WHERE account_id = ${account} AND state IN ('planned', 'sending')
    ORDER BY id`);
  // Read from the batches: one may still wait for money although a smaller one was accepted since.
  const money = waiting.find(({ reason_code }) => WAITS_FOR_MONEY.some((code) => code === reason_code));
  const suspended = money === undefined ? (waiting.length > 0 ? row?.suspended : null) : renderStoredReason(money);
  return { suspended: suspended ?? null, keyRejected: row?.keyRejected ?? null };
}

/** The service refused a batch for insufficient balance: the account sends nothing until the balance suffices. */
export async function suspendAccount(db: Queryable, account: AccountId, reason: string): Promise<void> {
  await db.run(sql`UPDATE ledger_accounts SET suspended = ${reason} WHERE id = ${account}`);
}

/** The service rejects the key: the account sends nothing until it works again. */
export async function recordKeyRejected(db: Queryable, account: AccountId, reason: string): Promise<void> {
  await db.run(sql`UPDATE ledger_accounts SET key_rejected = ${reason} WHERE id = ${account}`);
}

/** The balance suffices or the key works again. Batches that waited for money are tried again at once. */
export async function resumeAccount(
  ledger: Ledger,
  account: AccountId,
  what: 'suspended' | 'key_rejected',
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    if (what === 'key_rejected') {
      await tx.run(sql`UPDATE ledger_accounts SET key_rejected = NULL WHERE id = ${account}`);
      return;
    }
    await tx.run(sql`UPDATE ledger_accounts SET suspended = NULL WHERE id = ${account}`);
    await tx.run(sql`
      UPDATE batches SET not_before = NULL WHERE account_id = ${account} AND state IN ('planned', 'sending')
        AND reason_code IN (SELECT value FROM ${eachText(MONEY_REASONS)} AS reasons)`);
  });
}

/**
 * The recorded service of an account's charges and jobs, when it differs from the configured one; else null. The first
 * use of an account records its service.
 */
export async function findOtherService(
  tx: Queryable,
  { id, baseUrl }: Pick<AccountPolicy, 'id' | 'baseUrl'>,
): Promise<string | null> {
  const row = await tx.get(sql<{ base_url: string | null }>`SELECT base_url FROM ledger_accounts WHERE id = ${id}`);
  if (row !== undefined && row.base_url !== null) return isSameBaseUrl(row.base_url, baseUrl) ? null : row.base_url;
  await tx.run(sql`UPDATE ledger_accounts SET base_url = ${baseUrl} WHERE id = ${id} AND base_url IS NULL`);
  return null;
}

/** Throws OTHER_SERVICE when the configuration names another service than the one that the account belongs to. */
export async function requireSameService(tx: Queryable, account: Pick<AccountPolicy, 'id' | 'baseUrl'>): Promise<void> {
  const recorded = await findOtherService(tx, account);
  if (recorded === null) return;
  const why = renderReason({ code: 'other_service', recorded, configured: account.baseUrl });
  throw new LedgerError('OTHER_SERVICE', `Account ${account.id}: ${why}.`);
}

/** An operator confirms that the account's service has a new address or id: it keeps its keys, jobs and money. */
export async function moveAccount(
  ledger: Ledger,
  { id, baseUrl }: Pick<AccountPolicy, 'id' | 'baseUrl'>,
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, id);
    await tx.run(sql`UPDATE ledger_accounts SET base_url = ${baseUrl} WHERE id = ${id}`);
    await tx.run(sql`UPDATE batches SET base_url = ${baseUrl} WHERE account_id = ${id}`);
    await forgetIdentity(tx, id);
  });
}
