import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference } from '../../submission/ids.ts';
import type { Unread } from '../../submission/unread.ts';
import type { Ledger } from '../open-ledger.ts';
import type { OpenSubmission } from './record-poll.ts';

/**
 * Names a way to read a service's answers: the words that are configured and the version of the program. What was read with
 * one is never read with it again, so two workers of different versions do not ask for a job in turns.
 */
export type Reading = string & { readonly __brand: 'Reading' };

/** What of the answer of a job could not be read, and how it was read. */
export interface AnsweredJob {
  readonly unread: Unread;
  readonly reading: Reading;
}

/** Older ones are forgotten: then a job is read once more. */
const MOST_TRIED = 20;

const toTried = (readings: readonly string[]): string => ` ${readings.slice(-MOST_TRIED).join(' ')} `;

/** Keeps what could not be read of a job that ended with URLs without a result. */
export async function insertUnread(
  tx: Queryable,
  { id, account }: { readonly id: number; readonly account: AccountId },
  { unread, reading }: AnsweredJob,
): Promise<void> {
  if (unread.length === 0) return;
  await tx.run(sql`
    INSERT INTO unread_jobs (batch_id, account_id, found, tried)
    VALUES (${id}, ${account}, ${JSON.stringify(unread)}, ${toTried([reading])})`);
}

/** A job that is to be read again. */
export interface AskedJob {
  readonly batch: BatchId;
  readonly found: string;
  readonly tried: string;
  readonly asked: Reading;
  readonly askedAt: number;
}

/**
 * Asks for every job of the account that was not read like this yet; returns how many are to be read again. The tracker of
 * each is started by the account's dispatcher. The rows are few: a service whose words are understood has none.
 */
export async function askUnreadJobs(ledger: Ledger, account: AccountId, reading: Reading): Promise<number> {
  const { db } = ledger;
  const isNew = sql`account_id = ${account} AND (asked IS NULL OR asked <> ${reading}) AND tried NOT LIKE ${`% ${reading} %`}`;
  // Each command that runs a watch looks here: it must not wait for its turn to write.
  if ((await db.get(sql`SELECT 1 FROM unread_jobs WHERE ${isNew} LIMIT 1`)) !== undefined)
    await db.run(sql`UPDATE unread_jobs SET asked = ${reading}, asked_at = ${ledger.now()} WHERE ${isNew}`);
  const { jobs } = await db.one(sql<{ jobs: number }>`
    SELECT count(*) AS jobs FROM unread_jobs WHERE account_id = ${account} AND asked IS NOT NULL`);
  return jobs;
}

/** The job, when it is to be read again; else null. Uses batches_by_reference. */
export async function findAskedJob(db: Queryable, account: AccountId, reference: Reference): Promise<AskedJob | null> {
  const row = await db.get(sql<AskedJob>`
    SELECT u.batch_id AS batch, u.found, u.tried, u.asked, u.asked_at AS "askedAt"
    FROM batches AS b JOIN unread_jobs AS u ON u.batch_id = b.id
    WHERE b.account_id = ${account} AND b.reference = ${reference} AND u.asked IS NOT NULL`);
  return row ?? null;
}

/** A job to be read again, and the reading that is asked for. */
export type AskedSubmission = OpenSubmission & { readonly asked: Reading };

/** The account's jobs that are to be read again. Uses unread_jobs_asked. */
export async function listAskedSubmissions({ db }: Ledger, account: AccountId): Promise<AskedSubmission[]> {
  return db.all(sql<AskedSubmission>`
    SELECT b.id AS batch, w.name AS watch, b.idempotency_key AS key, b.reference, b.service, b.urls,
      b.job_state AS state, b.accepted_at AS "acceptedAt", b.charge, n.asked
    FROM unread_jobs AS n JOIN batches AS b ON b.id = n.batch_id JOIN watches AS w ON w.id = b.watch_id
    WHERE n.account_id = ${account} AND n.asked IS NOT NULL ORDER BY b.id`);
}

/** Keeps what is still not read of a job, or forgets it when every URL has its result. */
export async function recordTried(
  tx: Queryable,
  { batch, tried, asked }: AskedJob,
  { unread, reading, openUrls }: AnsweredJob & { readonly openUrls: number },
): Promise<void> {
  if (openUrls === 0) return void (await tx.run(sql`DELETE FROM unread_jobs WHERE batch_id = ${batch}`));
  const readings = [...new Set([...tried.trim().split(' '), asked, reading])];
  await tx.run(sql`
    UPDATE unread_jobs SET found = ${JSON.stringify(unread)}, tried = ${toTried(readings)}, asked = NULL, asked_at = NULL
    WHERE batch_id = ${batch}`);
}

/** What could not be read of a job; null when all was, or it is not known any more. */
export async function findUnread({ db }: Ledger, batch: BatchId): Promise<Unread | null> {
  const row = await db.get(sql<{ found: string }>`SELECT found FROM unread_jobs WHERE batch_id = ${batch}`);
  return row === undefined ? null : parseUnread(row.found);
}

export const parseUnread = (found: string): Unread => JSON.parse(found) as Unread;

/** A job whose answer could not be read, and how many of its URLs have no result. */
export interface UnreadJob {
  readonly batch: BatchId;
  readonly urls: number;
  readonly unread: Unread;
}

/** Those of the account, the latest last. */
export async function listUnreadJobs({ db }: Ledger, account: AccountId): Promise<UnreadJob[]> {
  const rows = await db.all(sql<{ batch: BatchId; urls: number; found: string }>`
    SELECT n.batch_id AS batch, b.urls - b.completed - b.failed AS urls, n.found
    FROM unread_jobs AS n JOIN batches AS b ON b.id = n.batch_id WHERE n.account_id = ${account} ORDER BY n.batch_id`);
  return rows.map(({ found, ...row }) => ({ ...row, unread: parseUnread(found) }));
}
