import { type Micros, micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { raw, sql } from '../../database/sql.ts';
import type { BatchId, IdempotencyKey, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
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

type UrlRow = Omit<UrlHistory, 'url' | 'reason' | 'firstRun' | 'purchases' | 'checks'> &
  StoredReason & { readonly id: number; readonly first_run: RunId | null; readonly first_at: number | null };

/** The whole history of a URL, one for each watch that lists it; empty when the ledger has never seen it. */
export async function getUrlHistory(ledger: Ledger, url: Url): Promise<UrlHistory[]> {
  const { db } = ledger;
  const rows = await db.all(sql<UrlRow>`
    SELECT u.id, w.name AS watch, u.state, u.reason_code, u.reason_params, u.due, u.due_at AS "dueAt", u.generation,
      u.failures, u.version, s.url AS sitemap, s.complete_at AS "sitemapReadAt", f.name AS first_run, f.started_at AS first_at,
      c.name AS "changedRun", g.name AS "goneRun", u.forgotten_at AS "forgottenAt", q.next_at AS "nextCheckAt"
    FROM urls AS u JOIN watches AS w ON w.id = u.watch_id LEFT JOIN sitemaps AS s ON s.id = u.sitemap_id
    LEFT JOIN runs AS f ON f.id = u.first_run LEFT JOIN runs AS c ON c.id = u.changed_run
    LEFT JOIN runs AS g ON g.id = u.gone_run LEFT JOIN check_queue AS q ON q.url_id = u.id
    WHERE ${isPage(url, ledger.seed, raw('u.'))} ORDER BY u.id`);
  return Promise.all(
    rows.map(
      async ({ id, reason_code, reason_params, first_run: run, first_at: at, ...row }): Promise<UrlHistory> => ({
        ...row,
        url,
        reason:
          renderStoredReason({ reason_code, reason_params }) ?? (row.due === 'new' ? 'found, not planned yet' : null),
        firstRun: run === null || at === null ? null : { run, at },
        purchases: await listPurchases(db, id),
        checks: await listChecks(db, id),
      }),
    ),
  );
}

type PurchaseRow = Omit<Purchase, 'batchReason' | 'requestIds'> & StoredReason & { readonly urls: number };

/** Uses batch_urls_once. */
async function listPurchases(db: Queryable, urlId: number): Promise<Purchase[]> {
  const rows = await db.all(sql<PurchaseRow>`
    SELECT m.generation, b.id AS batch, b.state AS "batchState", b.reason_code, b.reason_params, b.idempotency_key AS key,
      b.reference, b.planned_at AS "plannedAt", b.accepted_at AS "acceptedAt", b.charge, b.urls, b.job_state AS "jobState",
      m.result, m.reason AS "resultReason"
    FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id WHERE m.url_id = ${urlId} ORDER BY m.generation`);
  return Promise.all(
    rows.map(async ({ reason_code, reason_params, urls, ...row }): Promise<Purchase> => {
      const answers = await db.all(sql<{ request_id: string }>`
        SELECT request_id FROM batch_answers WHERE batch_id = ${row.batch} AND request_id IS NOT NULL ORDER BY attempt`);
      return {
        ...row,
        batchReason: renderStoredReason({ reason_code, reason_params }),
        charge: row.charge === null ? null : micros(Math.round(row.charge / urls)),
        requestIds: answers.map(({ request_id }) => request_id),
      };
    }),
  );
}

/** Uses check_urls_by_url. */
function listChecks(db: Queryable, urlId: number): Promise<UrlCheck[]> {
  return db.all(sql<UrlCheck>`
    SELECT m.at, m.result, m.detail, c.request_id AS "requestId", c.state
    FROM check_urls AS m JOIN checks AS c ON c.id = m.check_id WHERE m.url_id = ${urlId} ORDER BY c.id`);
}
