import { type Micros, timesMicros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../../submission/ids.ts';
import { parseTag } from '../../submission/project-tag.ts';
import { toStoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import { ensureWatch, findWatch, lockAccount } from '../accounts/watches.ts';
import { acceptBatch } from '../batches/accept-batch.ts';
import { type BatchRow, getBatch } from '../batches/batch-queries.ts';
import { hasChangedSinceJob } from '../batches/keep-later-changes.ts';
import { getDayStart } from '../journal/days.ts';
import { bookPurchase, giveUpAssumed } from '../journal/open-money.ts';
import { getCountedPrice } from '../journal/prices.ts';
import { recordService } from '../money/account.ts';
import { getPrice, learnPrice } from '../money/price.ts';
import type { Ledger } from '../open-ledger.ts';
import { toPurchase } from '../purchases/follow-state.ts';
import { toLatestSql } from '../version-sql.ts';
import { fail, fillIn } from './assign-results.ts';
import { ensureRecoveredUrls, type RecoveredBy } from './recovered-urls.ts';
import type { UrlResult } from './settle-job.ts';
import { findSameBatch, takeOutOfBatches } from './take-out.ts';

/** A job from the service's history, with its result for each URL. */
export interface PastJob {
  readonly reference: Reference;
  readonly state: string;
  /** Whether `isOver` says so of it. */
  readonly terminal: boolean;
  readonly service: ServiceLevel;
  readonly project: string;
  /** By the service's clock; never later than the ledger's own. */
  readonly createdAt: number;
  /** Null when the service does not report it. */
  readonly charge: Micros | null;
  readonly pricePerUrl?: Micros | null;
  readonly urls: readonly (Omit<UrlResult, 'url'> & { readonly url: Url })[];
}

export type Recovered =
  | { readonly kind: 'recovered'; readonly batch: BatchId; readonly urls: number }
  /** The job is an open batch of this ledger with the same URLs, which is now accepted. */
  | { readonly kind: 'answered'; readonly batch: BatchId }
  /** The ledger has this job. */
  | { readonly kind: 'known'; readonly batch: BatchId };

/**
 * Takes a job of the service's own history into the ledger, once: its URLs count as bought, one generation for each job
 * that had them, so that neither an empty ledger nor a restored copy buys them again. A batch of the ledger that waits
 * with the same URLs is this job; one that waits with some of them is taken back, because they are bought. Give jobs
 * oldest first. A job that has not ended is followed from here on.
 */
export async function recoverJob(
  ledger: Ledger,
  { account, watch, baseUrl }: { account: AccountId; watch: WatchId; baseUrl: string },
  past: PastJob,
): Promise<Recovered> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<Recovered> => {
    await lockAccount(tx, account);
    const known = await tx.get(sql<{ id: BatchId }>`
      SELECT id FROM batches WHERE account_id = ${account} AND reference = ${past.reference}`);
    if (known !== undefined) return { kind: 'known', batch: known.id };
    // It may belong to another account by now.
    const watchId = (await findWatch(tx, watch)) ?? (await ensureWatch(tx, watch, account));
    const job = { ...past, createdAt: Math.min(past.createdAt, now) };
    const members = await ensureMembers(tx, ledger, { watch, watchId, account }, job, now);
    const ids = members.map(({ id }) => id);
    const same = await findSameBatch(tx, account, ids, job.createdAt);
    if (same !== null) {
      const { reference, state, charge: charged, pricePerUrl = null, createdAt } = job;
      const row = await getBatch(tx, same);
      await acceptBatch(tx, createdAt, row, { reference, state, charged, pricePerUrl, balance: null, createdAt });
      return { kind: 'answered', batch: same };
    }
    await takeOutOfBatches(tx, now, account, ids, job);
    const { id } = await tx.one(sql<{ id: BatchId }>`
      INSERT INTO batches (account_id, watch_id, service, project, base_url, normalized_project, generation, tag, urls,
        expected_cost, price_basis, state, reason_code, reason_params, planned_at, reference, accepted_at, charge, job_state, ended_at,
        settled_at, completed, failed)
      VALUES (${account}, ${watchId}, ${job.service}, ${job.project}, ${baseUrl}, ${job.project}, 0,
        ${parseTag(job.project)}, ${ids.length}, ${job.charge}, 'unknown', 'accepted', 'recovered', '{}',
        ${job.createdAt}, ${job.reference}, ${job.createdAt}, ${job.charge}, ${job.state},
        ${job.terminal ? job.createdAt : null}, ${job.terminal ? now : null}, ${countResults(members, 'completed')},
        ${countResults(members, 'failed')})
      RETURNING id`);
    await addMembers(tx, id, members, job);
    if (job.terminal) {
      await fillIn(tx, id, job.state);
      await fail(tx, id, now, null, isFailedBy(job));
    }
    await recordService(tx, { id: account, baseUrl });
    // A charge that the service does not show counts at the price that is known, so that no cap is exceeded.
    const { perUrl } = job.charge === null ? await getPrice(tx, account, job.service, null) : { perUrl: null };
    await bookPurchase(
      tx,
      { kind: 'batch', id, account, watchId, runId: null },
      {
        to: job.charge === null ? 'assumed' : 'charged',
        amount: job.charge ?? (perUrl === null ? null : timesMicros(perUrl, ids.length)),
        atLeast: timesMicros((await getCountedPrice(tx, account, job.service)).configured, ids.length),
        urls: ids.length,
        day: getDayStart(job.createdAt),
        at: job.createdAt,
      },
    );
    await giveUpLeft(tx, account, job);
    if (job.charge !== null && ids.length === past.urls.length) {
      const { service, charge, createdAt: at } = job;
      await learnPrice(tx, { account, service, charge, urls: ids.length, at, now });
    }
    return { kind: 'recovered', batch: id, urls: ids.length };
  });
}

/**
 * A batch with the tag of this job that an operator has left counts as charged although nobody knew: the job is what it was
 * charged for, and has its own entry. Uses batches_by_tag.
 */
async function giveUpLeft(tx: Queryable, account: AccountId, { project }: PastJob): Promise<void> {
  const tag = parseTag(project);
  const left = await tx.all(sql<Pick<BatchRow, 'id' | 'account_id' | 'watch_id' | 'run_id'>>`
    SELECT id, account_id, watch_id, run_id FROM batches
    WHERE account_id = ${account} AND tag = ${tag} AND tag IS NOT NULL AND reference IS NULL AND state = 'refused'`);
  for (const row of left) await giveUpAssumed(tx, toPurchase({ kind: 'batch', id: row.id }, row));
}

interface Member extends Omit<UrlResult, 'url'> {
  readonly id: number;
}

const countResults = (members: readonly Member[], result: UrlResult['result']): number =>
  members.filter((member) => member.result === result).length;

/** While the job is open the URL waits for its result: one that failed may be tried again. */
function toUrlState({ state, terminal }: PastJob, result: UrlResult['result']): string {
  if (!terminal) return 'submitted';
  if (result !== 'open') return result;
  return state === 'completed' || state === 'failed' ? state : 'known';
}

/** The rows of the job's URLs, in its order, each once. */
async function ensureMembers(
  tx: Queryable,
  ledger: Ledger,
  by: RecoveredBy,
  job: PastJob,
  now: number,
): Promise<Member[]> {
  const known = await ensureRecoveredUrls(tx, ledger, by, job.urls, now);
  const members = new Map<number, Member>();
  for (const [at, { result, reason }] of job.urls.entries()) {
    const id = known.get(at);
    if (id !== undefined) members.set(id, { id, result, reason });
  }
  return [...members.values()];
}

/** Its last purchase, which failed, and nothing else to buy it for: it is bought again as its watch buys failed URLs. */
const isFailedBy = ({ createdAt }: PastJob): Query =>
  sql`u.state = 'failed' AND u.bought_at = ${createdAt} AND u.due IS NULL`;

/**
 * One more generation for each URL, and every version up to the creation of the job counts as bought. State and reason to
 * buy change only when no later purchase is known. A change that a crawl saw after the job was created stays due, and so does
 * a page whose first version is later than the job: the job bought it as it was before. The rules drop a change whose version
 * is not later than the job.
 */
async function addMembers(tx: Queryable, batch: BatchId, members: readonly Member[], job: PastJob): Promise<void> {
  const rows = members.map(({ id, result, reason }, at): Row => {
    const { reason_code, reason_params } = toStoredReason(reason === null ? null : { code: 'reported', text: reason });
    return [at, id, toUrlState(job, result), result === 'open' ? null : result, reason, reason_code, reason_params];
  });
  const columns = {
    at: 'bigint',
    id: 'bigint',
    state: 'text',
    result: 'text',
    reason: 'text',
    reason_code: 'text',
    reason_params: 'text',
  } as const;
  const listed = toRows(columns, rows);
  const isLatest = sql`(urls.bought_at IS NULL OR urls.bought_at <= ${job.createdAt})`;
  const changedAfter = sql`(urls.due = 'changed' AND ${job.createdAt} < (
    SELECT started_at FROM runs WHERE runs.id = urls.changed_run)
    OR urls.due = 'new' AND ${hasChangedSinceJob(job.createdAt)})`;
  await tx.run(sql`
    UPDATE urls SET generation = generation + 1,
      versions_bought_until = CASE WHEN urls.versions_bought_until > ${job.createdAt} THEN urls.versions_bought_until
        ELSE ${job.createdAt} END,
      state = CASE WHEN ${isLatest} THEN r.state ELSE urls.state END,
      failures = CASE WHEN ${isLatest} AND r.state = 'completed' THEN 0 ELSE urls.failures END,
      reason_code = CASE WHEN ${isLatest} THEN r.reason_code ELSE urls.reason_code END,
      reason_params = CASE WHEN ${isLatest} THEN r.reason_params ELSE urls.reason_params END,
      due = CASE WHEN NOT ${isLatest} THEN urls.due WHEN ${changedAfter} THEN 'changed' ELSE NULL END,
      due_at = CASE WHEN NOT ${isLatest} OR ${changedAfter} THEN urls.due_at ELSE NULL END,
      bought_version = CASE WHEN NOT ${isLatest} OR ${changedAfter} THEN urls.bought_version
        ELSE ${toLatestSql('urls.bought_version', 'urls.version')} END,
      bought_at = CASE WHEN ${isLatest} THEN ${job.createdAt} ELSE urls.bought_at END
    FROM ${listed} AS r WHERE urls.id = r.id`);
  await tx.run(sql`
    INSERT INTO batch_urls (batch_id, position, url_id, generation, result, reason)
    SELECT CAST(${batch} AS BIGINT), r.at, r.id, u.generation, r.result, r.reason
    FROM ${listed} AS r JOIN urls AS u ON u.id = r.id`);
}
