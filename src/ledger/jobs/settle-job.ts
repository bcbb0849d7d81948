import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { canonicalUrl } from '../../submission/canonical-url.ts';
import { nextGeneration, type RetryFailedPolicy } from '../../submission/generations.ts';
import type { AccountId, Reference } from '../../submission/ids.ts';
import { parseReason, type Reason } from '../../submission/reason.ts';
import { lockAccount } from '../accounts/watches.ts';
import { setReason } from '../batches/transitions.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignDecision } from '../operator-decision.ts';
import { toUrlKey } from '../pages/fingerprint.ts';
import { assignReason } from '../reason-columns.ts';
import { getJob, type JobRow } from './record-poll.ts';

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
    const exact = await write(tx, ledger, job, results);
    if (exact === results.length) return { matched: exact, unknown: 0 };
    const matched = await write(tx, ledger, job, await inOurForm(tx, job.id, results));
    return { matched, unknown: results.length - matched };
  });
}

/** Writes the results of URLs that match exactly; returns their number. */
async function write(
  tx: Queryable,
  ledger: Ledger,
  job: Pick<JobRow, 'id'>,
  results: readonly UrlResult[],
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
  if (rows.length > 0) await tx.run(updateResults(job.id, rows));
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
export const updateResults = (batch: number, rows: readonly Row[]): Query => {
  const columns = { id: 'bigint', result: 'text', reason: 'text' } as const;
  return sql`
    UPDATE batch_urls SET result = r.result, reason = r.reason FROM ${toRows(columns, rows)} AS r
    WHERE batch_urls.url_id = r.id AND +batch_urls.batch_id = ${batch}`;
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

export interface Settled {
  readonly completed: number;
  readonly failed: number;
  /** The job ended and the service does not say what became of them. They count as bought, until their page changes. */
  readonly open: number;
  /** Failed URLs by what follows: bought again later, or quarantined. */
  readonly again: number;
  readonly quarantined: number;
}

/**
 * Assigns each URL of an ended job its result, once. A completed job completes all URLs except those reported as failed.
 * A failed job fails all except those reported as completed. In any other terminal state only reported results count.
 * `retryFailed`: the rule of the job's watch; null when the watch is not configured. Then nothing is quarantined for its
 * failures: the rule of the watch that lists the URL next decides.
 */
export async function settleJob(
  ledger: Ledger,
  account: AccountId,
  reference: Reference,
  { retryFailed }: { retryFailed: RetryFailedPolicy | null },
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
    if (job.settled_at === null) await settleUrls(tx, { ...job, ended_at: job.ended_at }, now, retryFailed);
    return settledCounts(tx, job.id);
  });
}

async function settleUrls(
  tx: Queryable,
  job: JobRow & { readonly ended_at: number },
  now: number,
  retryFailed: RetryFailedPolicy | null,
): Promise<void> {
  await fillIn(tx, job.id, job.job_state);
  await complete(tx, job.id, now);
  await fail(tx, job.id, job.ended_at, retryFailed);
  await tx.run(sql`
    UPDATE urls SET state = 'known', ${assignReason({ code: 'no_result', jobState: job.job_state })}
    WHERE state = 'submitted' AND id IN (
      SELECT url_id FROM batch_urls WHERE batch_id = ${job.id} AND (result IS NULL OR result = 'open'))`);
  await tx.run(sql`
    UPDATE batches SET settled_at = ${now},
      completed = (SELECT count(*) FROM batch_urls WHERE batch_id = ${job.id} AND result = 'completed'),
      failed = (SELECT count(*) FROM batch_urls WHERE batch_id = ${job.id} AND result = 'failed')
    WHERE id = ${job.id}`);
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

async function fillIn(tx: Queryable, batch: number, jobState: string): Promise<void> {
  if (jobState !== 'completed' && jobState !== 'failed') return;
  await tx.run(sql`
    UPDATE batch_urls SET result = ${jobState} WHERE batch_id = ${batch} AND (result IS NULL OR result = 'open')`);
}

/** A new generation restarts the URL's index-checks. Uses check_queue's primary key. */
async function complete(tx: Queryable, batch: number, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE urls SET state = 'completed', reason_code = NULL, reason_params = NULL, failures = 0, completed_at = ${now}
    WHERE state = 'submitted'
      AND id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${batch} AND result = 'completed')`);
  await tx.run(sql`
    INSERT INTO check_queue (url_id, watch_id, completed_at, next_at)
    SELECT u.id, u.watch_id, CAST(${now} AS BIGINT), CAST(${now} AS BIGINT) FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${batch} AND m.result = 'completed'
    ON CONFLICT (url_id) DO UPDATE SET completed_at = excluded.completed_at, next_at = excluded.next_at,
      checks = 0, misses = 0, found_at = NULL, last_check_at = NULL`);
}

/** Failed URLs grouped by what the policy says: usually one group, whatever the size of the batch. */
async function fail(tx: Queryable, batch: number, failedAt: number, policy: RetryFailedPolicy | null): Promise<void> {
  const groups = await tx.all(sql<{ failures: number; reason: string | null }>`
    SELECT u.failures + 1 AS failures, m.reason FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id
    WHERE m.batch_id = ${batch} AND m.result = 'failed' AND u.state = 'submitted' GROUP BY u.failures, m.reason`);
  for (const { failures, reason } of groups) {
    const next = toFailedState(failures, failedAt, policy, reason);
    await tx.run(sql`
      UPDATE urls SET state = ${next.state}, failures = ${failures}, ${assignReason(next.reason)}, due = ${next.due},
        due_at = ${next.dueAt}
      WHERE state = 'submitted' AND failures = ${failures - 1} AND id IN (
        SELECT url_id FROM batch_urls
        WHERE batch_id = ${batch} AND result = 'failed' AND reason IS NOT DISTINCT FROM ${reason})`);
  }
}

interface FailedState {
  readonly state: 'failed' | 'quarantined';
  readonly reason: Reason | null;
  readonly due: 'retry' | null;
  readonly dueAt: number | null;
}

function toFailedState(
  failures: number,
  failedAt: number,
  policy: RetryFailedPolicy | null,
  text: string | null,
): FailedState {
  if (policy === null) {
    const reason: Reason = { code: 'failed_without_watch', failures, failedAt, text };
    return { state: 'failed', reason, due: 'retry', dueAt: null };
  }
  const next = nextGeneration(failures, failedAt, policy, text);
  if (next.kind === 'quarantine') return { state: 'quarantined', reason: next.reason, due: null, dueAt: null };
  const reason: Reason | null = text === null ? null : { code: 'reported', text };
  return { state: 'failed', reason, due: 'retry', dueAt: next.notBefore };
}

async function settledCounts(tx: Queryable, batch: number): Promise<Settled> {
  const row = await tx.one(sql<Record<keyof Settled, number>>`
    SELECT coalesce(sum(CASE WHEN m.result = 'completed' THEN 1 ELSE 0 END), 0) AS completed,
      coalesce(sum(CASE WHEN m.result = 'failed' THEN 1 ELSE 0 END), 0) AS failed,
      coalesce(sum(CASE WHEN m.result IS NULL OR m.result = 'open' THEN 1 ELSE 0 END), 0) AS open,
      coalesce(sum(CASE WHEN m.result = 'failed' AND u.state = 'failed' THEN 1 ELSE 0 END), 0) AS again,
      coalesce(sum(CASE WHEN m.result = 'failed' AND u.state = 'quarantined' THEN 1 ELSE 0 END), 0) AS quarantined
    FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id WHERE m.batch_id = ${batch}`);
  return { ...row };
}
