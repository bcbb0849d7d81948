import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { canonicalUrl } from '../../submission/canonical-url.ts';
import type { RetryFailedPolicy } from '../../submission/generations.ts';
import type { AccountId, Reference } from '../../submission/ids.ts';
import { parseReason } from '../../submission/reason.ts';
import { lockAccount } from '../accounts/watches.ts';
import { setReason } from '../batches/transitions.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignDecision } from '../operator-decision.ts';
import { toUrlKey } from '../pages/fingerprint.ts';
import { assignReason } from '../reason-columns.ts';
import { complete, countResults, fail, fillIn, queueChecks, type Settled, settledCounts } from './assign-results.ts';
import { getJob, type JobRow } from './record-poll.ts';
import { type AnsweredJob, insertUnread } from './unread-jobs.ts';

/** The service's result for one URL. `open`: neither completed nor failed, shown unchanged. */
export interface UrlResult {
  readonly url: string;
  readonly result: 'completed' | 'failed' | 'open';
  readonly reason: string | null;
}

/** Stores results of a job's URLs, one page at a time. Of duplicates in a page the last one counts. */
export async function recordUrlResults(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  results: readonly UrlResult[],
): Promise<{ readonly matched: number; readonly unknown: number }> {
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    if (job.settled_at !== null) return { matched: 0, unknown: 0 };
    const matched = await writeResults(tx, ledger, job, results);
    return { matched, unknown: results.length - matched };
  });
}

/**
 * Writes the results of a job's URLs, however the service spells them; returns the number of those that are its own.
 * `onlyOpen`: a URL that has a result keeps it.
 */
export async function writeResults(
  tx: Queryable,
  ledger: Ledger,
  job: Pick<JobRow, 'id'>,
  results: readonly UrlResult[],
  { onlyOpen = false } = {},
): Promise<number> {
  const which = onlyOpen ? WITHOUT_RESULT : ANY;
  const exact = await write(tx, ledger, job, results, which);
  return exact === results.length ? exact : write(tx, ledger, job, await inOurForm(tx, job.id, results), which);
}

const ANY = sql`1 = 1`;
const WITHOUT_RESULT = sql`(batch_urls.result IS NULL OR batch_urls.result = 'open')`;

/** Writes the results of URLs that match exactly; returns their number. */
async function write(
  tx: Queryable,
  ledger: Ledger,
  job: Pick<JobRow, 'id'>,
  results: readonly UrlResult[],
  which: Query,
): Promise<number> {
  // The last result of a URL counts: given two rows, the two databases would update from different ones.
  const latest = [...new Map(results.map((each) => [each.url, each])).values()];
  const found = await tx.all(
    selectMembers(
      job.id,
      latest.map(({ url }): Row => [toUrlKey(url, ledger.seed), url]),
    ),
  );
  const rows = found.flatMap(({ nr, id }): Row[] => {
    const { result = null, reason = null } = latest[nr] ?? {};
    return [[id, result, reason]];
  });
  if (rows.length > 0) await tx.run(updateResults(job.id, rows, which));
  return rows.length;
}

/**
 * The members of a batch with these URLs, whatever watch they belong to now: those of a renamed watch have moved to the
 * new one. Uses urls_by_fp and batch_urls_once; the plus keeps SQLite from reading the whole batch for each result.
 */
export const selectMembers = (batch: number, rows: readonly Row[]): Query<{ nr: number; id: number }> =>
  sql<{ nr: number; id: number }>`
  SELECT r.nr, u.id FROM ${toRows({ fp: 'bigint', url: 'text' }, rows)} AS r CROSS JOIN urls AS u
    CROSS JOIN batch_urls AS m
  WHERE u.fp = r.fp AND u.url = r.url AND m.url_id = u.id AND +m.batch_id = ${batch} ORDER BY r.nr`;

/** Uses batch_urls_once. */
export const updateResults = (batch: number, rows: readonly Row[], which: Query = ANY): Query => {
  const columns = { id: 'bigint', result: 'text', reason: 'text' } as const;
  return sql`
    UPDATE batch_urls SET result = r.result, reason = r.reason FROM ${toRows(columns, rows)} AS r
    WHERE batch_urls.url_id = r.id AND +batch_urls.batch_id = ${batch} AND ${which}`;
};

/** Services return URLs unescaped or with a trailing slash. URLs of the job that share a canonical form are skipped. */
async function inOurForm(tx: Queryable, batch: number, results: readonly UrlResult[]): Promise<UrlResult[]> {
  const members = await tx.all(sql<{ url: string }>`
    SELECT u.url FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id WHERE m.batch_id = ${batch}`);
  const byCanonicalUrl = new Map<string, string | null>();
  for (const { url } of members)
    byCanonicalUrl.set(canonicalUrl(url), byCanonicalUrl.has(canonicalUrl(url)) ? null : url);
  const exact = new Set(members.map(({ url }) => url));
  return results.flatMap((result) => {
    const url = exact.has(result.url) ? result.url : byCanonicalUrl.get(canonicalUrl(result.url));
    return url === undefined || url === null ? [] : [{ ...result, url }];
  });
}

/** The counts of a completed job say that none of its URLs has failed: what one looked like before does not count. */
export async function recordAllCompleted(ledger: Ledger, account: AccountId, reference: Reference): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    if (job.settled_at !== null) return;
    await tx.run(sql`
      UPDATE batch_urls SET result = 'completed', reason = NULL WHERE batch_id = ${job.id} AND result <> 'completed'`);
  });
}

/** How many URLs of a job have no result yet. */
export async function countOpenUrls({ db }: Ledger, account: AccountId, reference: Reference): Promise<number> {
  const { open } = await db.one(sql<{ open: number }>`
    SELECT count(*) AS open FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
    WHERE b.account_id = ${account} AND b.reference = ${reference} AND (m.result IS NULL OR m.result = 'open')`);
  return open;
}

/**
 * Assigns each URL of an ended job its result, once. A completed job completes all URLs except those reported as failed.
 * A failed job fails all except those reported as completed. In any other terminal state only reported results count.
 * `retryFailed`: the rule of the job's watch; null when the watch is not configured. Then nothing is quarantined for its
 * failures: the rule of the watch that lists the URL next decides. `answered`: what of the answer could not be read, so that
 * the job is read again once that can help.
 */
export async function settleJob(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  { retryFailed, answered = null }: { retryFailed: RetryFailedPolicy | null; answered?: AnsweredJob | null },
): Promise<Settled> {
  const now = ledger.now();
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    if (job.ended_at === null) {
      throw new LedgerError(
        'WRONG_STATE',
        `Job ${reference} has not ended (${job.job_state}). Nothing was changed; poll it again later.`,
      );
    }
    if (job.settled_at !== null) return settledCounts(tx, job.id);
    await settleUrls(tx, { ...job, ended_at: job.ended_at }, now, retryFailed);
    const settled = await settledCounts(tx, job.id);
    if (settled.open > 0 && answered !== null) await insertUnread(tx, { id: job.id, account }, answered);
    return settled;
  });
}

async function settleUrls(
  tx: Queryable,
  job: JobRow & { readonly ended_at: number },
  now: number,
  retryFailed: RetryFailedPolicy | null,
): Promise<void> {
  await fillIn(tx, job.id, job.job_state);
  await queueChecks(tx, job.id, now);
  await complete(tx, job.id, now);
  await fail(tx, job.id, job.ended_at, retryFailed);
  await tx.run(sql`
    UPDATE urls SET state = 'known', ${assignReason({ code: 'no_result', jobState: job.job_state })}
    WHERE state = 'submitted' AND id IN (
      SELECT url_id FROM batch_urls WHERE batch_id = ${job.id} AND (result IS NULL OR result = 'open'))`);
  await tx.run(sql`UPDATE batches SET settled_at = ${now} WHERE id = ${job.id}`);
  await countResults(tx, job.id);
}

/**
 * An operator ends a job for which the service never reports a terminal state. URLs with a result keep it. For the
 * others, `release` makes them due again, charged as a new purchase; `leave` counts them as bought, as they were when they
 * were sent. `retryFailed`: as for
 * `settleJob`. Throws a LedgerError for a job that has ended.
 */
export async function resolveJob(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  how: 'release' | 'leave',
  { retryFailed }: { retryFailed: RetryFailedPolicy | null },
): Promise<Settled> {
  const now = ledger.now();
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const job = await getJob(tx, account, reference);
    if (job.settled_at !== null) {
      throw new LedgerError('WRONG_STATE', `Job ${reference} has ended (${job.job_state}). Nothing was changed.`);
    }
    await tx.run(sql`UPDATE batches SET ended_at = coalesce(ended_at, ${now}) WHERE id = ${job.id}`);
    await settleUrls(tx, { ...job, job_state: 'unresolved', ended_at: now }, now, retryFailed);
    await setReason(tx, job, { code: 'resolved', how, before: parseReason(job) });
    await tx.run(sql`
      UPDATE urls SET state = ${how === 'release' ? 'held' : 'known'}, ${assignDecision(how, { code: 'job_resolved', how })}
      WHERE state = 'known' AND id IN (
        SELECT url_id FROM batch_urls WHERE batch_id = ${job.id} AND (result IS NULL OR result = 'open'))`);
    return settledCounts(tx, job.id);
  });
}
