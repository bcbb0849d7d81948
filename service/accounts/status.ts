import { formatTry } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Account, AccountError, findAccount } from './account.ts';

/** The operator suspended or closed the account: its keys are refused until it is resumed. */
export class AccountInactiveError extends Error {
  override readonly name = 'AccountInactiveError';
}

/** Rejects the keys of an account until it is resumed. Submissions accepted before are still processed. */
export async function suspendAccount(tx: Queryable, name: string, reason: string): Promise<Account> {
  const account = await findAccount(tx, name);
  if (account.status !== 'active')
    throw new AccountError(`account "${name}" is ${account.status}; nothing was changed`);
  return setStatus(tx, account, 'suspended', reason);
}

export async function resumeAccount(tx: Queryable, name: string): Promise<Account> {
  const account = await findAccount(tx, name);
  if (account.status !== 'suspended') {
    throw new AccountError(`account "${name}" is ${account.status}, not suspended; nothing was changed`);
  }
  return setStatus(tx, account, 'active', null);
}

/**
 * Ends an account permanently: keys are revoked, sessions end, sign-in is refused. Its records stay. An account that
 * holds money cannot be closed: pay it back first and record that as an adjustment.
 */
export async function closeAccount(tx: Queryable, name: string, reason: string, now: number): Promise<Account> {
  const account = await findAccount(tx, name);
  if (account.status === 'closed') throw new AccountError(`account "${name}" is already closed; nothing was changed`);
  const closed = await tx.run(sql`
    UPDATE accounts SET status = 'closed', status_reason = ${reason} WHERE id = ${account.id} AND balance = 0`);
  if (closed.changes === 0) {
    throw new AccountError(
      `account "${name}" holds ${formatTry(account.balance)}; pay it back, record that with "account adjust", ` +
        'then close it. Nothing was changed',
    );
  }
  await tx.run(sql`UPDATE api_keys SET revoked_at = ${now} WHERE account_id = ${account.id} AND revoked_at IS NULL`);
  await tx.run(sql`DELETE FROM sessions WHERE account_id = ${account.id}`);
  await tx.run(sql`DELETE FROM password_resets WHERE account_id = ${account.id}`);
  return { ...account, status: 'closed', statusReason: reason };
}

async function setStatus(tx: Queryable, account: Account, status: 'active' | 'suspended', reason: string | null) {
  await tx.run(sql`UPDATE accounts SET status = ${status}, status_reason = ${reason} WHERE id = ${account.id}`);
  return { ...account, status, statusReason: reason };
}
