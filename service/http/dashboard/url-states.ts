import type { UrlState } from '../../../contract/responses.ts';
import type { Queryable } from '../../../src/database/database.ts';
import { eachText, sql } from '../../../src/database/sql.ts';
import { PART } from '../../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../../capacity/yield-to-event-loop.ts';
import type { SubmissionRow } from '../../submissions/record.ts';

export interface UrlOutcome {
  readonly position: number;
  readonly url: string;
  readonly state: UrlState;
  readonly reason: string | null;
}

export type UrlFilter = 'all' | 'failed' | 'pending' | 'completed';
export const URL_FILTERS: readonly UrlFilter[] = ['all', 'failed', 'pending', 'completed'];

/** URLs of a submission, failed ones first, then those that are not decided yet, each in the order sent. */
export async function listUrls(
  db: Queryable,
  { id, status: state, url_count: count, urls_deleted_at }: SubmissionRow,
  { filter, limit, offset }: { filter: UrlFilter; limit: number; offset: number },
): Promise<UrlOutcome[]> {
  if (urls_deleted_at !== null) return [];
  const found: Record<'failed' | 'pending' | 'completed', number[]> = { failed: [], pending: [], completed: [] };
  for (let from = 0; from < count; from += PART.urls, await yieldToEventLoop()) {
    const rows = await db.all(sql<{ position: number; status: 'completed' | 'failed' | null }>`
      SELECT position, status FROM submission_urls
      WHERE submission_id = ${id} AND position >= ${from} AND position < ${from + PART.urls} ORDER BY position`);
    for (const { position, status } of rows) found[status ?? 'pending'].push(position);
  }
  const wanted = filter === 'all' ? [...found.failed, ...found.pending, ...found.completed] : found[filter];
  const undecided = state === 'queued' ? 'queued' : 'processing';
  const urls: UrlOutcome[] = [];
  const last = Math.min(offset + limit, wanted.length);
  for (let from = offset; from < last; from += PART.urls, await yieldToEventLoop()) {
    const positions = wanted.slice(from, Math.min(from + PART.urls, last));
    const rows = await db.all(sql<Omit<UrlOutcome, 'state'> & { status: 'completed' | 'failed' | null }>`
      SELECT position, url, status, reason FROM submission_urls WHERE submission_id = ${id}
        AND position IN (SELECT CAST(value AS BIGINT) FROM ${eachText(positions.map(String))} AS e)`);
    const byPosition = new Map(rows.map((row) => [row.position, row]));
    for (const position of positions) {
      const row = byPosition.get(position);
      if (row !== undefined) urls.push({ position, url: row.url, state: row.status ?? undecided, reason: row.reason });
    }
  }
  return urls;
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
