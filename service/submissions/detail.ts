import { LIMITS } from '../../contract/limits.ts';
import type { DetailQuery } from '../../contract/requests.ts';
import type { SubmissionDetail, UrlState } from '../../contract/responses.ts';
import type { SubmissionState } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { pagination } from './pagination.ts';
import { isoTime, SUBMISSION_COLUMNS, type SubmissionRow, toSubmission } from './record.ts';
import { isReference } from './reference.ts';

interface UrlRow {
  readonly position: number;
  readonly url: string;
  readonly status: 'completed' | 'failed' | null;
  readonly reason: string | null;
  readonly updated_at: number | null;
}

export async function findSubmission(
  db: Queryable,
  account: AccountId,
  reference: string,
): Promise<SubmissionRow | undefined> {
  if (!isReference(reference)) return undefined;
  return db.get(sql<SubmissionRow>`
    SELECT ${SUBMISSION_COLUMNS} FROM submissions WHERE reference = ${reference} AND account_id = ${account}`);
}

/**
 * A submission of this account with one page of its URLs (spec 4.7), or null: that of another account is as unknown
 * as one that never was. After their retention there are no URLs, and its counts say what became of them. A range of the primary key, so the last page costs what the first does.
 */
export async function submissionDetail(
  db: Queryable,
  account: AccountId,
  reference: string,
  { url_page: page = 1, url_limit: limit = LIMITS.urlPage.default }: DetailQuery,
): Promise<SubmissionDetail | null> {
  const row = await findSubmission(db, account, reference);
  if (row === undefined) return null;
  const first = (page - 1) * limit;
  const kept = row.urls_deleted_at === null ? row.url_count : 0;
  const urls =
    first >= kept
      ? []
      : await db.all(sql<UrlRow>`
          SELECT position, url, status, reason, updated_at FROM submission_urls
          WHERE submission_id = ${row.id} AND position >= ${first} AND position < ${first + limit} ORDER BY position`);
  const undecided = undecidedState(row.status);
  return {
    ...toSubmission(row),
    urls: urls.map(({ position, url, status, reason, updated_at }) => ({
      position,
      url,
      status: status ?? undecided,
      reason,
      updated_at: isoTime(updated_at ?? row.started_at ?? row.created_at),
    })),
    url_pagination: pagination(page, limit, kept),
  };
}

const undecidedState = (status: SubmissionState): UrlState => (status === 'queued' ? 'queued' : 'processing');
