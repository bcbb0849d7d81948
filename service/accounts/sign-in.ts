import { createHash, randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Account, type AccountId, type AccountRow, toAccount } from './account.ts';
import { verifyPassword } from './passwords.ts';

/** How long a session lasts. */
export const SESSION_MS = 12 * 60 * 60 * 1_000;

export interface Session {
  readonly account: Account;
  /** The token in every form; a POST without it changes nothing. */
  readonly csrf: string;
}

/** Stores a password and ends every session that the old one opened. Only inside a transaction. */
export async function setPassword(tx: Queryable, account: AccountId, hashed: string): Promise<void> {
  await tx.run(sql`UPDATE accounts SET password = ${hashed} WHERE id = ${account}`);
  await tx.run(sql`DELETE FROM sessions WHERE account_id = ${account}`);
}

/** Opens a session and returns the text for the cookie, or null when name or password is wrong. */
export async function signIn(db: Database, name: string, password: string, now: number): Promise<string | null> {
  const row = await db.get(sql<{ id: AccountId; password: string | null }>`
    SELECT id, password FROM accounts WHERE name = ${name}`);
  const fits = await verifyPassword(password, row?.password ?? null);
  if (row === undefined || !fits) return null;
  const token = randomBytes(32).toString('base64url');
  await db.tx(async (tx) => {
    await tx.run(sql`DELETE FROM sessions WHERE expires_at <= ${now}`);
    await tx.run(sql`
      INSERT INTO sessions (hash, account_id, csrf, expires_at)
      VALUES (${hash(token)}, ${row.id}, ${randomBytes(24).toString('base64url')}, ${now + SESSION_MS})`);
  });
  return token;
}

export async function findSession(db: Queryable, token: string, now: number): Promise<Session | null> {
  const row = await db.get(sql<AccountRow & { csrf: string }>`
    SELECT s.csrf, a.id AS account_id, a.name AS account_name, a.balance, a.price_standard, a.price_fast,
      a.created_at AS account_created_at
    FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
    WHERE s.hash = ${hash(token)} AND s.expires_at > ${now}`);
  return row === undefined ? null : { account: toAccount(row), csrf: row.csrf };
}

export async function signOut(db: Queryable, token: string): Promise<void> {
  await db.run(sql`DELETE FROM sessions WHERE hash = ${hash(token)}`);
}

const hash = (token: string): Buffer => createHash('sha256').update(token).digest();
