import type { UrlState } from '../../../contract/responses.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { type Query, sql } from '../../../src/database/sql.ts';
import type { SubmissionRow } from '../../submissions/record.ts';

export interface UrlOutcome {
  readonly position: number;
  readonly url: string;
  readonly state: UrlState;
  readonly reason: string | null;
}

export type UrlFilter = 'all' | 'failed' | 'pending' | 'completed';
export const URL_FILTERS: readonly UrlFilter[] = ['all', 'failed', 'pending', 'completed'];

const CONDITIONS: Record<UrlFilter, Query> = {
  all: sql`1 = 1`,
  failed: sql`status = 'failed'`,
  pending: sql`status IS NULL`,
  completed: sql`status = 'completed'`,
};

/** URLs of a submission, failed ones first, then those that are not decided yet, each in the order sent. */
export async function listUrls(
  db: Queryable,
  submission: SubmissionRow,
  { filter, limit, offset }: { filter: UrlFilter; limit: number; offset: number },
): Promise<UrlOutcome[]> {
  if (submission.urls_deleted_at !== null) return [];
  const rows = await db.all(sql<Omit<UrlOutcome, 'state'> & { status: 'completed' | 'failed' | null }>`
    SELECT position, url, status, reason FROM submission_urls
    WHERE submission_id = ${submission.id} AND ${CONDITIONS[filter]}
    ORDER BY CASE WHEN status = 'failed' THEN 0 WHEN status IS NULL THEN 1 ELSE 2 END, position
    LIMIT ${limit} OFFSET ${offset}`);
  const undecided = submission.status === 'queued' ? 'queued' : 'processing';
  return rows.map(({ position, url, status, reason }) => ({ position, url, state: status ?? undecided, reason }));
}

/** How many URLs a filter lets through. */
export function countUrls(
  { url_count, urls_completed, urls_failed, urls_deleted_at }: SubmissionRow,
  filter: UrlFilter,
): number {
  if (urls_deleted_at !== null) return 0;
  if (filter === 'failed') return urls_failed;
  if (filter === 'completed') return urls_completed;
  if (filter === 'pending') return url_count - urls_completed - urls_failed;
  return url_count;
}
