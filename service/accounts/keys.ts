import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Account, AccountError, type AccountId, type AccountRow, toAccount } from './account.ts';
import { hashKey, isKeyShaped, newKey, shownPart } from './key-format.ts';

/** A key as it is stored, without its text. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

/** A new key. Its text is available only now: later only its hash is known. */
export interface CreatedKey extends ApiKey {
  readonly apiKey: string;
}

/** The account and key that sent a request. */
export interface Principal {
  readonly account: Account;
  readonly key: ApiKey;
}

interface KeyRow {
  readonly key_id: string;
  readonly key_name: string;
  readonly prefix: string;
  readonly key_created_at: number;
  readonly revoked_at: number | null;
}

const toKey = (row: KeyRow): ApiKey => ({
  id: row.key_id,
  name: row.key_name,
  prefix: row.prefix,
  createdAt: row.key_created_at,
  revokedAt: row.revoked_at,
});

/**
 * The account and key behind the text of a key, or null when it is unknown or revoked. Queried on every request and
 * never cached: a revoked key is refused by the very next request in every process.
 */
export async function authenticate(db: Queryable, text: string): Promise<Principal | null> {
  if (!isKeyShaped(text)) return null;
  const hash = hashKey(text);
  const row = await db.get(sql<KeyRow & AccountRow & { hash: Uint8Array }>`
    SELECT k.id AS key_id, k.name AS key_name, k.prefix, k.hash, k.created_at AS key_created_at, k.revoked_at,
      a.id AS account_id, a.name AS account_name, a.balance, a.price_standard, a.price_fast,
      a.created_at AS account_created_at
    FROM api_keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE k.hash = ${hash} AND k.revoked_at IS NULL`);
  if (row === undefined || !timingSafeEqual(row.hash, hash)) return null;
  return { account: toAccount(row), key: toKey(row) };
}

export async function createKey(db: Queryable, account: AccountId, name: string, now: number): Promise<CreatedKey> {
  const apiKey = newKey();
  const id = `key_${randomBytes(9).toString('hex')}`;
  const prefix = shownPart(apiKey);
  await db.run(sql`
    INSERT INTO api_keys (id, account_id, name, prefix, hash, created_at)
    VALUES (${id}, ${account}, ${name}, ${prefix}, ${hashKey(apiKey)}, ${now})`);
  return { id, name, prefix, createdAt: now, revokedAt: null, apiKey };
}

export async function listKeys(db: Queryable, account: AccountId): Promise<ApiKey[]> {
  const rows = await db.all(sql<KeyRow>`
    SELECT id AS key_id, name AS key_name, prefix, created_at AS key_created_at, revoked_at
    FROM api_keys WHERE account_id = ${account} ORDER BY created_at, id`);
  return rows.map(toKey);
}

/** Ends a key. With `account`, only a key of that account. Throws an AccountError when the key does not exist or is revoked. */
export async function revokeKey(db: Queryable, id: string, now: number, account?: AccountId): Promise<ApiKey> {
  const mine = account === undefined ? sql`` : sql`AND account_id = ${account}`;
  const row = await db.get(sql<KeyRow>`
    UPDATE api_keys SET revoked_at = ${now} WHERE id = ${id} AND revoked_at IS NULL ${mine}
    RETURNING id AS key_id, name AS key_name, prefix, created_at AS key_created_at, revoked_at`);
  if (row === undefined) throw new AccountError(`there is no live key with the id ${id}; nothing was changed`);
  return toKey(row);
}

/** Ends a key and makes a new one with its name, for the same account. Only inside a transaction. */
export async function regenerateKey(tx: Queryable, id: string, now: number, account?: AccountId): Promise<CreatedKey> {
  const old = await revokeKey(tx, id, now, account);
  const owner = await tx.one(sql<{ account_id: AccountId }>`SELECT account_id FROM api_keys WHERE id = ${id}`);
  return createKey(tx, owner.account_id, old.name, now);
}
