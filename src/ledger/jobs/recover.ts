import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { parseTag } from '../../submission/project-tag.ts';
import type { Url } from '../../url/normalize-url.ts';
import { toUrlKey } from '../crawl/fingerprint.ts';
import { learnPrice } from '../money/price.ts';
import type { Ledger } from '../open-ledger.ts';
import { ensureWatch, lockAccount } from '../runs/watches.ts';
import type { UrlResult } from './settle-job.ts';

/** A job of the service's history, with what it says of each URL. */
export interface PastJob {
  readonly reference: Reference;
  readonly state: string;
  readonly terminal: boolean;
  readonly service: ServiceLevel;
  readonly project: string;
  readonly createdAt: number;
  /** Null when the service does not tell. */
  readonly charge: Micros | null;
  readonly urls: readonly (Omit<UrlResult, 'url'> & { readonly url: Url })[];
}

export type Recovered =
  | { readonly kind: 'recovered'; readonly batch: BatchId; readonly urls: number }
  /** The ledger has this job. */
  | { readonly kind: 'known'; readonly batch: BatchId };

/**
 * Takes a job of the service's own history into the ledger, once: its URLs count as bought, one generation for each job
 * that had them, so that an empty ledger does not buy everything again. Give jobs oldest first. A job that has not
 * ended is followed from here on.
 */
export async function recoverJob(
  ledger: Ledger,
  { account, watch, baseUrl }: { account: AccountId; watch: WatchId; baseUrl: string },
  past: PastJob,
): Promise<Recovered> {
  const now = ledger.now();
  const job = { ...past, urls: [...new Map(past.urls.map((each) => [each.url, each])).values()] };
  return ledger.db.tx(async (tx): Promise<Recovered> => {
    await lockAccount(tx, account);
    const known = await tx.get(sql<{ id: BatchId }>`
      SELECT id FROM batches WHERE account_id = ${account} AND reference = ${job.reference}`);
    if (known !== undefined) return { kind: 'known', batch: known.id };
    const watchId = await ensureWatch(tx, watch, account);
    const ids = await urlRows(tx, ledger, watch, watchId, account, job, now);
    const batch = await tx.one(sql<{ id: BatchId }>`
      INSERT INTO batches (account_id, watch_id, service, project, base_url, normalized_project, generation, tag, urls,
        expected_cost, price_basis, state, reason_code, reason_params, planned_at, reference, accepted_at, charge, job_state, ended_at,
        settled_at, completed, failed)
      VALUES (${account}, ${watchId}, ${job.service}, ${job.project}, ${baseUrl}, ${job.project}, 0,
        ${parseTag(job.project)}, ${ids.length}, ${job.charge}, 'unknown', 'accepted', 'recovered', '{}',
        ${job.createdAt}, ${job.reference}, ${job.createdAt}, ${job.charge}, ${job.state},
        ${job.terminal ? now : null}, ${job.terminal ? now : null}, ${countResults(job, 'completed')},
        ${countResults(job, 'failed')})
      RETURNING id`);
    const id = batch.id;
    await addMembers(tx, id, ids, job);
    await tx.run(sql`
      INSERT INTO charges (account_id, watch_id, run_id, kind, of_id, urls, amount, reported, at)
      VALUES (${account}, ${watchId}, NULL, 'batch', ${id}, ${ids.length}, ${job.charge ?? 0},
        ${job.charge === null ? 0 : 1}, ${job.createdAt})`);
    if (job.charge !== null) {
      await learnPrice(tx, { account, service: job.service, charge: job.charge, urls: ids.length, at: job.createdAt });
    }
    return { kind: 'recovered', batch: id, urls: ids.length };
  });
}

const countResults = (job: PastJob, result: UrlResult['result']): number =>
  job.urls.filter((url) => url.result === result).length;

/** What a job's state means for a URL of which it says nothing. */
function toUrlState(job: PastJob, result: UrlResult['result']): 'completed' | 'failed' | 'submitted' {
  if (result !== 'open') return result;
  return job.state === 'completed' || job.state === 'failed' ? job.state : 'submitted';
}

/** The rows of the job's URLs, in its order. One that is made here is gone until a crawl finds it in a sitemap. */
async function urlRows(
  tx: Queryable,
  ledger: Ledger,
  watch: WatchId,
  watchId: number,
  account: AccountId,
  job: PastJob,
  now: number,
): Promise<number[]> {
  const run = `recover/${watch}` as RunId;
  await tx.run(sql`
    INSERT INTO runs (name, watch_id, account_id, scope, baseline, first_run, started_at, touched_at, ended_at, end_state)
    VALUES (${run}, ${watchId}, ${account}, '', 0, 0, ${now}, ${now}, ${now}, 'recovered')
    ON CONFLICT (name) DO NOTHING`);
  const runRow = await tx.one(sql<{ id: number }>`SELECT id FROM runs WHERE name = ${run}`);
  const source = 'history of the service';
  await tx.run(sql`
    INSERT INTO sitemaps (watch_id, url) VALUES (${watchId}, ${source}) ON CONFLICT (watch_id, url) DO NOTHING`);
  const sitemap = await tx.one(sql<{ id: number }>`
    SELECT id FROM sitemaps WHERE watch_id = ${watchId} AND url = ${source}`);
  const columns = {
    fp: 'bigint',
    watch_id: 'bigint',
    sitemap_id: 'bigint',
    url: 'text',
    first_run: 'bigint',
    gone_run: 'bigint',
    state: 'text',
  } as const;
  const keys = job.urls.map(({ url }) => toUrlKey(url, ledger.seed));
  const rows = job.urls.map(({ url }, at): Row => [keys[at]!, watchId, sitemap.id, url, runRow.id, runRow.id, 'known']);
  await insertRows(tx, 'urls', columns, rows, 'ON CONFLICT (fp, watch_id) DO NOTHING');
  const asked = keys.map((fp): Row => [fp]);
  const found = await tx.all(sql<{ id: number }>`
    SELECT u.id FROM ${toRows({ fp: 'bigint' }, asked)} AS r JOIN urls AS u ON u.fp = r.fp AND u.watch_id = ${watchId}
    ORDER BY r.nr`);
  return found.map(({ id }) => id);
}

async function addMembers(tx: Queryable, batch: BatchId, ids: readonly number[], job: PastJob): Promise<void> {
  const rows = ids.map((id, at): Row => {
    const url = job.urls[at]!;
    return [at, id, toUrlState(job, url.result), url.result === 'open' ? null : url.result, url.reason];
  });
  const columns = { at: 'bigint', id: 'bigint', state: 'text', result: 'text', reason: 'text' } as const;
  const listed = toRows(columns, rows);
  await tx.run(sql`
    UPDATE urls SET generation = generation + 1, state = r.state, reason = r.reason, due = NULL, due_at = NULL,
      bought_at = CASE WHEN bought_at > ${job.createdAt} THEN bought_at ELSE ${job.createdAt} END,
      bought_lastmod = lastmod
    FROM ${listed} AS r WHERE urls.id = r.id`);
  await tx.run(sql`
    INSERT INTO batch_urls (batch_id, position, url_id, generation, result, reason)
    SELECT CAST(${batch} AS BIGINT), r.at, r.id, u.generation, r.result, r.reason
    FROM ${listed} AS r JOIN urls AS u ON u.id = r.id`);
}
