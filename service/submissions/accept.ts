import type { ServiceLevel } from '../../contract/states.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { type Dialectal, eachText, raw, sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { charge } from '../accounts/entries.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow } from './record.ts';
import { newReference } from './reference.ts';
import { searchable } from './search.ts';
import { urlKey } from './url-identity.ts';

/** A URL's key and the URL as one text: two lists side by side would be joined, which is quadratic in SQLite. */
const KEY_DIGITS = 16;
const keyed = (url: string, key: number): string => String(key).padStart(KEY_DIGITS, '0') + url;

const PRICE = { standard: raw('price_standard'), fast: raw('price_fast') } as const;

/** A valid request to submit, read from its body. */
export interface Accepting {
  readonly account: AccountId;
  readonly idempotencyKey: string;
  readonly fingerprint: Uint8Array;
  readonly project: string;
  readonly service: ServiceLevel;
  readonly urls: readonly string[];
  readonly identities: readonly string[];
}

export interface Accepted {
  readonly submission: SubmissionRow;
  /** True when an earlier request with this key was accepted: nothing new was charged. */
  readonly replayed: boolean;
}

/** The key belongs to another body (spec 4.6 rule 3). Nothing new was charged. */
export class IdempotencyConflictError extends Error {
  override readonly name = 'IdempotencyConflictError';
}

/**
 * Accepts a submission (spec 4.6 rules 1 to 4): the claim of the key, the charge, the submission and its URLs are one
 * transaction. Of several requests with one key the first claims it and the others wait for the outcome: if it was
 * accepted they get it back, if it was not the next one is judged as the first. Throws IdempotencyConflictError or
 * InsufficientBalanceError; then nothing happened and the key is as free as before.
 */
export async function accept(db: Database, wanted: Accepting, now: number): Promise<Accepted> {
  const rows = eachText(wanted.urls.map((url, index) => keyed(url, urlKey(wanted.identities[index]!, wanted.account))));
  return db.tx(async (tx) => {
    const claimed = await claim(tx, wanted, now);
    if (claimed === undefined) return { submission: await replay(tx, wanted), replayed: true };
    await charge(tx, wanted.account, claimed.charged, claimed.reference, now);
    await insertUrls(tx, claimed.id, rows);
    return { submission: claimed, replayed: false };
  });
}

/** The price is read and written in one statement: it is the account's at this very moment. */
async function claim(tx: Queryable, wanted: Accepting, now: number): Promise<SubmissionRow | undefined> {
  const count = wanted.urls.length;
  const price = PRICE[wanted.service];
  const reference = newReference(now);
  return tx.get(sql<SubmissionRow>`
    INSERT INTO submissions
      (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status, url_count, price,
       charged, created_at)
    VALUES (${reference}, ${wanted.account}, ${wanted.idempotencyKey}, ${wanted.fingerprint}, ${wanted.project},
      ${`${searchable(wanted.project)}\n${reference}`}, ${wanted.service}, 'queued', ${count},
      (SELECT ${price} FROM accounts WHERE id = ${wanted.account}),
      (SELECT ${price} * ${count} FROM accounts WHERE id = ${wanted.account}), ${now})
    ON CONFLICT (account_id, idempotency_key) DO NOTHING
    RETURNING ${SUBMISSION_COLUMNS}`);
}

async function replay(tx: Queryable, wanted: Accepting): Promise<SubmissionRow> {
  const row = await tx.get(sql<SubmissionRow & { fingerprint: Uint8Array }>`
    SELECT ${SUBMISSION_COLUMNS}, fingerprint FROM submissions
    WHERE account_id = ${wanted.account} AND idempotency_key = ${wanted.idempotencyKey}`);
  if (row === undefined || Buffer.compare(row.fingerprint, wanted.fingerprint) !== 0) {
    throw new IdempotencyConflictError('the key belongs to another body');
  }
  return row;
}

/** All rows in one statement and one parameter: twice as fast as row by row at 5,000. */
async function insertUrls(tx: Queryable, submission: number, rows: Dialectal): Promise<void> {
  await tx.run(sql`
    INSERT INTO submission_urls (submission_id, position, url, url_key)
    SELECT CAST(${submission} AS BIGINT), key, substr(value, ${KEY_DIGITS + 1}), CAST(substr(value, 1, ${KEY_DIGITS}) AS BIGINT)
    FROM ${rows} AS sent`);
}
