import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { raw, sql } from '../../database/sql.ts';
import type { BatchId, IdempotencyKey, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import type { BatchRow } from '../batches/batch-queries.ts';
import { isPage } from '../forgotten/stored-forms.ts';
import type { Ledger } from '../open-ledger.ts';
import type { DueReason } from '../pages/due.ts';
import type { BatchState } from '../purchases/states.ts';
import type { LedgerUrlState } from '../url-state.ts';

/** Everything the ledger knows of one URL of one watch. Times are epoch milliseconds. */
export interface UrlHistory {
  readonly watch: WatchId;
  readonly url: Url;
  readonly state: LedgerUrlState;
  readonly reason: string | null;
  /** Why it is to be bought next, and not before when; null when it is not. */
  readonly due: DueReason | null;
  readonly dueAt: number | null;
  readonly generation: number;
  readonly failures: number;
  /** The latest that a sitemap showed. */
  readonly version: Version | null;
  /** The sitemap that last showed it new or changed, and when that was last read to its end. */
  readonly sitemap: string;
  readonly sitemapReadAt: number | null;
  /** The run that found it; null when `recover` found it in a job. */
  readonly firstRun: { readonly run: RunId; readonly at: number } | null;
  readonly changedRun: RunId | null;
  /** Set when it is in no sitemap of the watch any more. */
  readonly goneRun: RunId | null;
  /** Since when the ledger keeps a digest in place of its address. */
  readonly forgottenAt: number | null;
  readonly purchases: readonly Purchase[];
  readonly checks: readonly UrlCheck[];
  readonly nextCheckAt: number | null;
}

/** One generation of the URL, in the batch that carries it. */
export interface Purchase {
  readonly generation: number;
  readonly batch: BatchId;
  readonly batchState: BatchState;
  /** Of the batch. */
  readonly batchReason: string | null;
  readonly key: IdempotencyKey | null;
  readonly reference: Reference | null;
  readonly plannedAt: number;
  readonly acceptedAt: number | null;
  /** This URL's share of the batch's charge; null when it is unknown, or nothing was charged. */
  readonly charge: Micros | null;
  readonly jobState: string | null;
  readonly result: string | null;
  readonly resultReason: string | null;
  readonly requestIds: readonly string[];
}

export interface UrlCheck {
  readonly at: number | null;
  readonly result: 'found' | 'not-found' | 'unknown' | null;
  /** The service's own word. */
  readonly detail: string | null;
  readonly requestId: string | null;
  readonly state: string;
}

interface UrlRow
  extends Pick<UrlHistory, 'watch' | 'state' | 'due' | 'generation' | 'failures' | 'version' | 'sitemap'>,
    StoredReason {
  readonly id: number;
  readonly due_at: number | null;
  readonly sitemapreadat: number | null;
  readonly first_run: RunId | null;
  readonly first_at: number | null;
  readonly changed_run: RunId | null;
  readonly gone_run: RunId | null;
  readonly forgotten_at: number | null;
  readonly next_at: number | null;
}

/** The whole history of a URL, one for each watch that lists it; empty when the ledger has never seen it. */
export async function getUrlHistory(ledger: Ledger, url: Url): Promise<UrlHistory[]> {
  const { db } = ledger;
  const rows = await db.all(sql<UrlRow>`
    SELECT u.id, w.name AS watch, u.state, u.reason_code, u.reason_params, u.due, u.due_at, u.generation,
      u.failures, u.version,
      s.url AS sitemap, s.complete_at AS sitemapreadat, f.name AS first_run, f.started_at AS first_at,
      c.name AS changed_run, g.name AS gone_run, u.forgotten_at, q.next_at
    FROM urls AS u JOIN watches AS w ON w.id = u.watch_id LEFT JOIN sitemaps AS s ON s.id = u.sitemap_id
    LEFT JOIN runs AS f ON f.id = u.first_run LEFT JOIN runs AS c ON c.id = u.changed_run
    LEFT JOIN runs AS g ON g.id = u.gone_run LEFT JOIN check_queue AS q ON q.url_id = u.id
    WHERE ${isPage(url, ledger.seed, raw('u.'))} ORDER BY u.id`);
  return Promise.all(
    rows.map(
      async (row): Promise<UrlHistory> => ({
        watch: row.watch,
        url,
        forgottenAt: row.forgotten_at,
        state: row.state,
        reason: renderStoredReason(row) ?? (row.due === 'new' ? 'found, not planned yet' : null),
        due: row.due,
        dueAt: row.due_at,
        generation: row.generation,
        failures: row.failures,
        version: row.version,
        sitemap: row.sitemap,
        sitemapReadAt: row.sitemapreadat,
        firstRun: row.first_run === null || row.first_at === null ? null : { run: row.first_run, at: row.first_at },
        changedRun: row.changed_run,
        goneRun: row.gone_run,
        purchases: await listPurchases(db, row.id),
        checks: await listChecks(db, row.id),
        nextCheckAt: row.next_at,
      }),
    ),
  );
}

type PurchaseRow = Pick<
  BatchRow,
  | 'id'
  | 'state'
  | 'reason_code'
  | 'reason_params'
  | 'idempotency_key'
  | 'reference'
  | 'planned_at'
  | 'accepted_at'
  | 'charge'
  | 'urls'
  | 'job_state'
> & {
  readonly generation: number;
  readonly result: string | null;
  readonly reason: string | null;
};

/** Uses batch_urls_once. */
async function listPurchases(db: Queryable, urlId: number): Promise<Purchase[]> {
  const rows = await db.all(sql<PurchaseRow>`
    SELECT m.generation, b.id, b.state, b.reason_code, b.reason_params, b.idempotency_key, b.reference, b.planned_at,
      b.accepted_at, b.charge, b.urls, b.job_state, m.result, m.reason
    FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id WHERE m.url_id = ${urlId} ORDER BY m.generation`);
  return Promise.all(
    rows.map(async (row): Promise<Purchase> => {
      const answers = await db.all(sql<{ request_id: string }>`
        SELECT request_id FROM batch_answers WHERE batch_id = ${row.id} AND request_id IS NOT NULL ORDER BY attempt`);
      return {
        generation: row.generation,
        batch: row.id,
        batchState: row.state,
        batchReason: renderStoredReason(row),
        key: row.idempotency_key,
        reference: row.reference,
        plannedAt: row.planned_at,
        acceptedAt: row.accepted_at,
        charge: row.charge === null ? null : micros(Math.round(row.charge / row.urls)),
        jobState: row.job_state,
        result: row.result,
        resultReason: row.reason,
        requestIds: answers.map(({ request_id }) => request_id),
      };
    }),
  );
}

/** Uses check_urls_by_url. */
async function listChecks(db: Queryable, urlId: number): Promise<UrlCheck[]> {
  const rows = await db.all(sql<Omit<UrlCheck, 'requestId'> & { request_id: string | null }>`
    SELECT m.at, m.result, m.detail, c.request_id, c.state
    FROM check_urls AS m JOIN checks AS c ON c.id = m.check_id WHERE m.url_id = ${urlId} ORDER BY c.id`);
  return rows.map(({ request_id, ...row }) => ({ ...row, requestId: request_id }));
}
