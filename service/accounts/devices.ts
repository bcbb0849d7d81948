import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from './account.ts';
import { hashToken } from './sessions.ts';

/** Known browsers per account; the oldest is dropped first. */
const MAX_DEVICES = 50;

/** Records a browser that has just signed in and returns the value for its cookie. Only inside a transaction. */
export async function rememberDevice(tx: Queryable, account: AccountId, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await tx.run(
    sql`INSERT INTO devices (hash, account_id, created_at) VALUES (${hashToken(token)}, ${account}, ${now})`,
  );
  await tx.run(sql`
    DELETE FROM devices WHERE account_id = ${account} AND hash NOT IN (
      SELECT hash FROM devices WHERE account_id = ${account} ORDER BY created_at DESC, hash LIMIT ${MAX_DEVICES})`);
  return token;
}

/** Whether a browser has signed in to the account of this name before. */
export async function isKnownDevice(db: Queryable, token: string, name: string): Promise<boolean> {
  const row = await db.get(sql`
    SELECT 1 AS one FROM devices AS d JOIN accounts AS a ON a.id = d.account_id
    WHERE d.hash = ${hashToken(token)} AND a.name = ${name}`);
  return row !== undefined;
}
