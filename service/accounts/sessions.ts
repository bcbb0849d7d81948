import { createHash, randomBytes } from 'node:crypto';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { ACCOUNT_COLUMNS, type Account, type AccountId, type AccountRow, toAccount } from './account.ts';

/** How long a session lasts. */
export const SESSION_MS = 12 * 60 * 60 * 1_000;
/** Minimum time between two updates of `seen_at`. */
const SEEN_EVERY_MS = 60_000;

export interface Session {
  readonly id: string;
  readonly account: Account;
  /** The CSRF token in every form; a POST without it changes nothing. */
  readonly csrf: string;
}

/** The origin of a request, as far as its headers show it. */
export interface Origin {
  readonly address: string;
  readonly agent: string;
}

/** A session as the list shows it. */
export interface OpenSession extends Origin {
  readonly id: string;
  readonly created_at: number;
  readonly seen_at: number;
  readonly expires_at: number;
}

/** Opens a session and returns the text for the cookie. Only inside a transaction. */
export async function openSession(tx: Queryable, account: AccountId, { address, agent }: Origin, now: number) {
  const token = randomBytes(32).toString('base64url');
  const id = `ses_${randomBytes(9).toString('hex')}`;
  await tx.run(sql`DELETE FROM sessions WHERE account_id = ${account} AND expires_at <= ${now}`);
  await tx.run(sql`
    INSERT INTO sessions (hash, id, account_id, csrf, address, agent, created_at, seen_at, expires_at)
    VALUES (${hashToken(token)}, ${id}, ${account}, ${randomBytes(24).toString('base64url')}, ${address},
      ${agent.slice(0, 300)}, ${now}, ${now}, ${now + SESSION_MS})`);
  return token;
}

/** Deletes some sessions of any account that have expired. Returns how many. */
export async function deleteExpiredSessions(db: Queryable, now: number, limit: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= ${now} LIMIT ${limit})`);
  return changes;
}

export async function findSession(db: Queryable, token: string, now: number): Promise<Session | null> {
  const row = await db.get(sql<AccountRow & { session_id: string; csrf: string; seen_at: number }>`
    SELECT s.id AS session_id, s.csrf, s.seen_at, ${ACCOUNT_COLUMNS}
    FROM sessions AS s JOIN accounts AS a ON a.id = s.account_id
    WHERE s.hash = ${hashToken(token)} AND s.expires_at > ${now} AND a.status <> 'closed'`);
  if (row === undefined) return null;
  if (row.seen_at + SEEN_EVERY_MS <= now) {
    await db.run(sql`UPDATE sessions SET seen_at = ${now} WHERE id = ${row.session_id}`);
  }
  return { id: row.session_id, account: toAccount(row), csrf: row.csrf };
}

/** The open sessions of an account, the newest first. */
export function listSessions(db: Queryable, account: AccountId, now: number): Promise<OpenSession[]> {
  return db.all(sql<OpenSession>`
    SELECT id, address, agent, created_at, seen_at, expires_at FROM sessions
    WHERE account_id = ${account} AND expires_at > ${now} ORDER BY created_at DESC, id`);
}

/** Ends one session of an account. Returns false when it has ended already. */
export async function endSession(db: Queryable, account: AccountId, id: string): Promise<boolean> {
  const { changes } = await db.run(sql`DELETE FROM sessions WHERE id = ${id} AND account_id = ${account}`);
  return changes > 0;
}

/** Ends every session of an account, or every one but `except`. Returns how many it ended. */
export async function endSessions(db: Queryable, account: AccountId, except = ''): Promise<number> {
  const { changes } = await db.run(sql`DELETE FROM sessions WHERE account_id = ${account} AND id <> ${except}`);
  return changes;
}

/** Tokens have 256 random bits, so plain SHA-256 is enough. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
