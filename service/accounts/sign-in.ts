import { randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { AccountError, type AccountId, lockAccount } from './account.ts';
import { recordEvent, toCustomer } from './audit-events.ts';
import { rememberDevice } from './devices.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { endSessions, hashToken, type Origin, openSession, type Session } from './sessions.ts';

/** How long a link to set a new password works. */
export const RESET_MS = 24 * 60 * 60 * 1_000;
export const PASSWORD_LENGTH = { min: 12, max: 200 } as const;

interface PasswordRow {
  readonly id: AccountId;
  readonly password: string | null;
}

export interface SignedIn {
  readonly account: AccountId;
  /** The text for the session's cookie. */
  readonly session: string;
  /** The text for the cookie of a browser that was not known yet. */
  readonly device: string | null;
}

export interface Credentials {
  readonly name: string;
  readonly password: string;
  /** The browser has signed in to this account before. */
  readonly knownDevice: boolean;
}

/** Opens a session, or returns null when name or password is wrong. */
export async function signIn(
  db: Database,
  { name, password, knownDevice }: Credentials,
  origin: Origin,
  now: number,
): Promise<SignedIn | null> {
  const row = await db.get(sql<PasswordRow>`
    SELECT id, password FROM accounts WHERE name = ${name} AND status <> 'closed'`);
  const fits = await verifyPassword(password, row?.password ?? null);
  if (row === undefined || !fits) return null;
  const account = row.id;
  return db.tx(async (tx) => {
    await recordEvent(tx, { account, event: 'sign_in.succeeded', actor: toCustomer(origin) }, now);
    const device = knownDevice ? null : await rememberDevice(tx, account, now);
    return { account, session: await openSession(tx, account, origin, now), device };
  });
}

/** Stores a password, ends every session that the old one opened and every link to reset it. Only inside a transaction. */
export async function setPassword(tx: Queryable, account: AccountId, hashed: string): Promise<void> {
  await tx.run(sql`UPDATE accounts SET password = ${hashed} WHERE id = ${account}`);
  await tx.run(sql`DELETE FROM password_resets WHERE account_id = ${account}`);
  await endSessions(tx, account);
}

/** Refuses a password that is too short, too long or the name of the account. Throws an AccountError. */
function assertPassword(password: string, name: string): void {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH.min || length > PASSWORD_LENGTH.max) {
    throw new AccountError(
      `a password has ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters; nothing was changed`,
      'password_length',
    );
  }
  if (password.toLowerCase().includes(name.toLowerCase())) {
    throw new AccountError('a password must not contain the name of the account; nothing was changed', 'password_name');
  }
  if (new Set(password).size < 5) {
    throw new AccountError('a password needs at least 5 different characters; nothing was changed', 'password_simple');
  }
}

/** The current password was not given correctly. Nothing was changed. */
export class WrongPasswordError extends AccountError {
  override readonly name = 'WrongPasswordError';
}

export interface PasswordChange {
  readonly current: string;
  readonly next: string;
}

/** Changes the password of the signed-in customer and ends all their other sessions. */
export async function changePassword(
  db: Database,
  { account, id }: Session,
  { current, next }: PasswordChange,
  origin: Origin,
  now: number,
): Promise<void> {
  const row = await db.get(sql<PasswordRow>`SELECT id, password FROM accounts WHERE id = ${account.id}`);
  if (!(await verifyPassword(current, row?.password ?? null))) {
    throw new WrongPasswordError('the current password is wrong; nothing was changed', 'password_wrong');
  }
  assertPassword(next, account.name);
  const hashed = await hashPassword(next);
  await db.tx(async (tx) => {
    await tx.run(sql`UPDATE accounts SET password = ${hashed} WHERE id = ${account.id}`);
    await tx.run(sql`DELETE FROM password_resets WHERE account_id = ${account.id}`);
    await endSessions(tx, account.id, id);
    await recordEvent(tx, { account: account.id, event: 'password.changed', actor: toCustomer(origin) }, now);
  });
}

/** A token with which the customer sets a new password once. It replaces an earlier one. Only inside a transaction. */
export async function createReset(tx: Queryable, account: AccountId, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await tx.run(sql`DELETE FROM password_resets WHERE account_id = ${account}`);
  await tx.run(sql`
    INSERT INTO password_resets (hash, account_id, expires_at)
    VALUES (${hashToken(token)}, ${account}, ${now + RESET_MS})`);
  return token;
}

/** The account of a reset link that still works. */
export async function findReset(
  db: Queryable,
  token: string,
  now: number,
): Promise<{ id: AccountId; name: string } | null> {
  const row = await db.get(sql<{ id: AccountId; name: string }>`
    SELECT a.id, a.name FROM password_resets AS r JOIN accounts AS a ON a.id = r.account_id
    WHERE r.hash = ${hashToken(token)} AND r.expires_at > ${now} AND a.status <> 'closed'`);
  return row ?? null;
}

/** Sets a password by a reset link, which works once; every session ends. Returns the account's name. Throws an AccountError. */
export async function resetByLink(db: Database, token: string, password: string, origin: Origin, now: number) {
  const gone = () =>
    new AccountError('this link was used or is older than a day; ask for a new one. Nothing was changed', 'reset_gone');
  const account = await findReset(db, token, now);
  if (account === null) throw gone();
  assertPassword(password, account.name);
  const hashed = await hashPassword(password);
  await db.tx(async (tx) => {
    await lockAccount(tx, account.id);
    const used = await tx.run(sql`DELETE FROM password_resets WHERE hash = ${hashToken(token)}`);
    if (used.changes === 0) throw gone();
    await setPassword(tx, account.id, hashed);
    await recordEvent(tx, { account: account.id, event: 'password.reset', actor: toCustomer(origin) }, now);
  });
  return account.name;
}
