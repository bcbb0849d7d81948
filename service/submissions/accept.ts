import type { ServiceLevel } from '../../contract/states.ts';
import type { Database, Queryable } from '../../src/database/database.ts';
import { eachText, raw, sql } from '../../src/database/sql.ts';
import { type AccountId, lockAccount } from '../accounts/account.ts';
import { charge, InsufficientBalanceError } from '../accounts/entries.ts';
import { ranAt } from '../capacity/clock.ts';
import { Turns, yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import { required } from '../required.ts';
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

/** A URL and its key as one text, as they are inserted. */
type KeyedUrl = string;

/** One INSERT holds at most this many characters of URLs, or this many URLs: some milliseconds of SQLite. */
const CHARACTERS_PER_INSERT = 384 * 1024;
const URLS_PER_INSERT = 1_250;

/**
 * Accepts a submission (spec 4.6 rules 1 to 4): the claim of the key, the charge, the submission and its URLs are one
 * transaction. Of several requests with one key the first claims it and the others wait for the outcome: if it was
 * accepted they get it back, if it was not the next one is judged as the first. Throws IdempotencyConflictError or
 * InsufficientBalanceError; then nothing happened and the key is as free as before. Other work continues between
 * large steps.
 */
export async function accept(db: Database, wanted: Accepting, now: number): Promise<Accepted> {
  const parts = await splitUrls(wanted);
  return db.tx(async (tx) => {
    const account = await lockAccount(tx, wanted.account);
    const claimed = await claim(tx, wanted, now);
    if (claimed === undefined) return { submission: await replay(tx, wanted), replayed: true };
    await charge(tx, account, claimed.charged, claimed.reference, now);
    for (const [index, part] of parts.entries()) {
      if (index > 0) await yieldToEventLoop();
      await insertUrls(tx, claimed.id, part);
    }
    return { submission: claimed, replayed: false };
  });
}

interface UrlPart {
  readonly position: number;
  readonly urls: readonly KeyedUrl[];
}

async function splitUrls({ urls, identities, account }: Accepting): Promise<UrlPart[]> {
  const parts: UrlPart[] = [];
  const turns = new Turns();
  let part: KeyedUrl[] = [];
  let characters = 0;
  for (const [index, url] of urls.entries()) {
    if (characters > CHARACTERS_PER_INSERT || part.length >= URLS_PER_INSERT) {
      parts.push({ position: index - part.length, urls: part });
      part = [];
      characters = 0;
    }
    part.push(keyed(url, urlKey(required(identities[index], `the identity of URL ${index}`), account)));
    characters += url.length;
    const pausing = turns.spend(url.length);
    if (pausing !== undefined) await pausing;
  }
  parts.push({ position: urls.length - part.length, urls: part });
  return parts;
}

/**
 * The price is read and written in one statement: it is the account's at this very moment. A price that no balance
 * could pay for so many URLs inserts nothing.
 */
async function claim(tx: Queryable, wanted: Accepting, now: number): Promise<SubmissionRow | undefined> {
  const count = wanted.urls.length;
  const price = PRICE[wanted.service];
  const reference = newReference(now);
  return tx.get(sql<SubmissionRow>`
    INSERT INTO submissions
      (reference, account_id, idempotency_key, fingerprint, project, searchable, service, status, url_count, price,
       charged, created_at, ran_at)
    SELECT ${reference}, id, ${wanted.idempotencyKey}, ${wanted.fingerprint}, ${wanted.project},
      ${`${searchable(wanted.project)}\n${reference}`}, ${wanted.service}, 'queued', ${count}, ${price},
      ${price} * ${count}, ${now}, ${ranAt(now)}
    FROM accounts WHERE id = ${wanted.account} AND ${price} <= ${Math.floor(Number.MAX_SAFE_INTEGER / count)}
    ON CONFLICT (account_id, idempotency_key) DO NOTHING
    RETURNING ${SUBMISSION_COLUMNS}`);
}

async function replay(tx: Queryable, wanted: Accepting): Promise<SubmissionRow> {
  const row = await tx.get(sql<SubmissionRow & { fingerprint: Uint8Array }>`
    SELECT ${SUBMISSION_COLUMNS}, fingerprint FROM submissions
    WHERE account_id = ${wanted.account} AND idempotency_key = ${wanted.idempotencyKey}`);
  if (row === undefined) throw new InsufficientBalanceError('the price of all URLs exceeds any possible balance');
  if (Buffer.compare(row.fingerprint, wanted.fingerprint) !== 0) {
    throw new IdempotencyConflictError('the Idempotency-Key was used with another body');
  }
  return row;
}

/** Many rows in one statement and one parameter: twice as fast as row by row at 5,000. */
async function insertUrls(tx: Queryable, submission: number, { position, urls }: UrlPart): Promise<void> {
  await tx.run(sql`
    INSERT INTO submission_urls (submission_id, position, url, url_key)
    SELECT CAST(${submission} AS BIGINT), key + CAST(${position} AS BIGINT), substr(value, ${KEY_DIGITS + 1}),
      CAST(substr(value, 1, ${KEY_DIGITS}) AS BIGINT)
    FROM ${eachText(urls)} AS sent`);
}
