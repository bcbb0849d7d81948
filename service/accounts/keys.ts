import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../../src/database/database.ts';
import { raw, sql } from '../../src/database/sql.ts';
import {
  ACCOUNT_COLUMNS,
  type Account,
  AccountError,
  type AccountId,
  type AccountRow,
  lockAccount,
  toAccount,
} from './account.ts';
import { hashKey, isKeyShaped, newKey, shownPart } from './key-format.ts';
import { AccountInactiveError } from './status.ts';

/** Each key has budgets of its own, so the number of keys limits the requests of an account. */
export const MAX_LIVE_KEYS = 20;
/** New keys that a customer makes in a day, regenerated ones included: with each the budgets begin again. */
export const MAX_NEW_KEYS = 40;
const DAY_MS = 24 * 60 * 60 * 1_000;
const KEY_ID = /^key_[0-9a-f]{18}$/;

/** A key as it is stored, without its text. */
export interface ApiKey {
  readonly id: string;
  readonly account: AccountId;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  /** null: it does not expire by itself. */
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** The key that regeneration put in its place; this one works until `expiresAt`, the end of its grace period. */
  readonly replacedBy: string | null;
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
  readonly key_account: AccountId;
  readonly key_name: string;
  readonly prefix: string;
  readonly key_created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly replaced_by: string | null;
}

/** The columns of a KeyRow, from `api_keys AS k`. */
const KEY_COLUMNS = raw(
  `k.id AS key_id, k.account_id AS key_account, k.name AS key_name, k.prefix, k.created_at AS key_created_at, k.expires_at, k.revoked_at,
   k.replaced_by`,
);

const toKey = (row: KeyRow): ApiKey => ({
  id: row.key_id,
  account: row.key_account,
  name: row.key_name,
  prefix: row.prefix,
  createdAt: row.key_created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  replacedBy: row.replaced_by,
});

export const isLive = ({ revokedAt, expiresAt }: ApiKey, now: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

/** As in api_keys_live. */
const live = (now: number) => sql`revoked_at IS NULL AND coalesce(expires_at, 9007199254740991) > ${now}`;

export const newKeyId = (): string => `key_${randomBytes(9).toString('hex')}`;

/**
 * The account and key behind the text of a key, or null when it is unknown, revoked or expired. Queried on every
 * request and never cached: a revoked key is refused by the very next request in every process. Throws an
 * AccountInactiveError when the account is suspended or closed.
 */
export async function authenticate(db: Queryable, text: string, now: number): Promise<Principal | null> {
  if (!isKeyShaped(text)) return null;
  const hash = hashKey(text);
  const row = await db.get(sql<KeyRow & AccountRow & { hash: Uint8Array }>`
    SELECT ${KEY_COLUMNS}, k.hash, ${ACCOUNT_COLUMNS}
    FROM api_keys AS k JOIN accounts AS a ON a.id = k.account_id
    WHERE k.hash = ${hash} AND k.revoked_at IS NULL`);
  if (row === undefined || !timingSafeEqual(row.hash, hash)) return null;
  const [account, key] = [toAccount(row), toKey(row)];
  if (!isLive(key, now)) return null;
  if (account.status !== 'active') throw new AccountInactiveError(`the account is ${account.status}`);
  return { account, key };
}

export interface KeyToCreate {
  readonly account: AccountId;
  readonly name: string;
  /** Chosen by the caller, so that a repeated request creates one key. */
  readonly id?: string;
  readonly expiresAt?: number | null;
  /** By the customer, who makes at most this many a day. */
  readonly byCustomer?: boolean;
}

/** The key of this request exists already: the request came twice. Its text cannot be shown again. */
export class KeyExistsError extends AccountError {
  override readonly name = 'KeyExistsError';
}

/**
 * Makes a key. Only inside a transaction. Throws an AccountError for a bad name or one key too many. Uses api_keys_live and
 * api_keys_by_time.
 */
export async function createKey(tx: Queryable, wanted: KeyToCreate, now: number): Promise<CreatedKey> {
  const { account, name, id = newKeyId(), expiresAt = null, byCustomer = false } = wanted;
  if (!KEY_ID.test(id)) throw new AccountError('the id of the new key is not valid; nothing was changed');
  if (!/^[^\p{Cc}\p{Cs}]{1,80}$/u.test(name) || name.trim() === '') {
    throw new AccountError('a key needs a name of 1 to 80 characters; nothing was changed', 'key_name');
  }
  if (expiresAt !== null && expiresAt <= now) {
    throw new AccountError('a key cannot expire in the past; nothing was changed', 'key_expiry');
  }
  // Two concurrent requests would both count one key too few.
  await lockAccount(tx, account);
  const counted = await tx.one(sql<{ keys: number }>`
    SELECT count(*) AS keys FROM api_keys WHERE account_id = ${account} AND ${live(now)}`);
  if (counted.keys >= MAX_LIVE_KEYS) {
    throw new AccountError(
      `an account has at most ${MAX_LIVE_KEYS} live keys; revoke one first. Nothing was changed`,
      'key_limit',
    );
  }
  if (byCustomer) await assertFewNewKeys(tx, account, now);
  const apiKey = newKey();
  const prefix = shownPart(apiKey);
  const { changes } = await tx.run(sql`
    INSERT INTO api_keys (id, account_id, name, prefix, hash, created_at, expires_at)
    VALUES (${id}, ${account}, ${name}, ${prefix}, ${hashKey(apiKey)}, ${now}, ${expiresAt})
    ON CONFLICT (id) DO NOTHING`);
  if (changes === 0) throw new KeyExistsError('this key was already created; nothing was changed', 'key_exists');
  return { id, account, name, prefix, createdAt: now, expiresAt, revokedAt: null, replacedBy: null, apiKey };
}

async function assertFewNewKeys(tx: Queryable, account: AccountId, now: number): Promise<void> {
  const { keys } = await tx.one(sql<{ keys: number }>`
    SELECT count(*) AS keys FROM (
      SELECT 1 AS one FROM api_keys WHERE account_id = ${account} AND created_at > ${now - DAY_MS}
      LIMIT ${MAX_NEW_KEYS}) AS page`);
  if (keys < MAX_NEW_KEYS) return;
  throw new AccountError(
    `an account makes at most ${MAX_NEW_KEYS} keys in 24 hours; try again later. Nothing was changed`,
    'key_pace',
  );
}

/** The live keys of an account, oldest first. Uses api_keys_live. */
export async function listLiveKeys(db: Queryable, account: AccountId, now: number): Promise<ApiKey[]> {
  const rows = await db.all(sql<KeyRow>`
    SELECT ${KEY_COLUMNS} FROM api_keys AS k WHERE k.account_id = ${account} AND ${live(now)}
    ORDER BY k.created_at, k.id`);
  return rows.map(toKey);
}

/** Keys of an account that have ended, the newest by their creation. Uses api_keys_by_time. */
export async function listEndedKeys(db: Queryable, account: AccountId, now: number, limit: number): Promise<ApiKey[]> {
  const rows = await db.all(sql<KeyRow>`
    SELECT ${KEY_COLUMNS} FROM api_keys AS k WHERE k.account_id = ${account} AND NOT (${live(now)})
    ORDER BY k.created_at DESC, k.id LIMIT ${limit}`);
  return rows.map(toKey);
}

/** Deletes some keys that ended before a time. Returns how many. */
export async function deleteEndedKeys(db: Queryable, before: number, limit: number): Promise<number> {
  const { changes } = await db.run(sql`
    DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE revoked_at < ${before} OR expires_at < ${before} LIMIT ${limit})`);
  return changes;
}

/** Every key of an account, for the operator. */
export async function listKeys(db: Queryable, account: AccountId): Promise<ApiKey[]> {
  const rows = await db.all(sql<KeyRow>`
    SELECT ${KEY_COLUMNS} FROM api_keys AS k WHERE k.account_id = ${account} ORDER BY k.created_at, k.id`);
  return rows.map(toKey);
}

/** A live key, of that account when one is given. Throws an AccountError when it does not exist or has ended. */
export async function findLiveKey(db: Queryable, id: string, now: number, account?: AccountId): Promise<ApiKey> {
  const own = account === undefined ? sql`` : sql`AND k.account_id = ${account}`;
  const row = KEY_ID.test(id)
    ? await db.get(sql<KeyRow>`SELECT ${KEY_COLUMNS} FROM api_keys AS k WHERE k.id = ${id} AND ${live(now)} ${own}`)
    : undefined;
  if (row === undefined)
    throw new AccountError(`there is no live key with the id ${id}; nothing was changed`, 'key_not_live');
  return toKey(row);
}

/** Ends a key. With `account`, only a key of that account. Throws an AccountError when the key is not live. */
export async function revokeKey(db: Queryable, id: string, now: number, account?: AccountId): Promise<ApiKey> {
  const key = await findLiveKey(db, id, now, account);
  const { changes } = await db.run(sql`UPDATE api_keys SET revoked_at = ${now} WHERE id = ${id} AND ${live(now)}`);
  if (changes === 0)
    throw new AccountError(`there is no live key with the id ${id}; nothing was changed`, 'key_not_live');
  return { ...key, revokedAt: now };
}

export interface KeyToRegenerate {
  readonly id: string;
  readonly account?: AccountId;
  /** How long the old key still works; 0 ends it at once. */
  readonly graceMs?: number;
  readonly newId?: string;
  readonly byCustomer?: boolean;
}

/**
 * Makes a new key with the name and the lifetime of an old one, which ends now or after the grace period. Only inside
 * a transaction. A key is regenerated once.
 */
export async function regenerateKey(tx: Queryable, wanted: KeyToRegenerate, now: number): Promise<CreatedKey> {
  const { id, graceMs = 0, newId = newKeyId(), byCustomer = false } = wanted;
  const old = await findLiveKey(tx, id, now, wanted.account);
  await lockAccount(tx, old.account);
  const ends = Math.min(now + graceMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
  const row = await tx.get(sql<{ account_id: AccountId }>`
    UPDATE api_keys SET replaced_by = ${newId}, ${graceMs === 0 ? sql`revoked_at = ${now}` : sql`expires_at = ${ends}`}
    WHERE id = ${id} AND replaced_by IS NULL AND ${live(now)} RETURNING account_id`);
  if (row === undefined) {
    throw new KeyExistsError(`the key ${id} was already regenerated; nothing was changed`, 'key_exists');
  }
  const expiresAt = old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
  return createKey(tx, { account: row.account_id, name: old.name, id: newId, expiresAt, byCustomer }, now);
}
