import { LIMITS } from '../../contract/limits.ts';
import type { ListQuery } from '../../contract/requests.ts';
import type { SubmissionList } from '../../contract/responses.ts';
import type { Queryable } from '../../src/database/database.ts';
import { eachText, join, type Query, sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { pagination } from './pagination.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow, toSubmission } from './record.ts';
import { containing } from './search.ts';
import { urlIdentity, urlKey } from './url-identity.ts';

const DAY_MS = 86_400_000;
const parseDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/**
 * One page of an account's submissions, newest first; filters narrow it together (spec 4.5).
 * Uses submissions_of_account, submissions_by_status and submission_urls_by_key.
 */
export async function listSubmissions(db: Queryable, account: AccountId, query: ListQuery): Promise<SubmissionList> {
  const { page = 1, limit = LIMITS.listPage.default } = query;
  const where = join(conditions(account, query), ' AND ');
  const offset = (page - 1) * limit;
  const { total, rows } =
    query.url === undefined ? await readPage(db, where, limit, offset) : await readMatches(db, where, limit, offset);
  return { submissions: rows.map(toSubmission), pagination: pagination(page, limit, total) };
}

interface Page {
  readonly total: number;
  readonly rows: readonly SubmissionRow[];
}

async function readPage(db: Queryable, where: Query, limit: number, offset: number): Promise<Page> {
  const counted = await db.get(sql<{ total: number }>`SELECT count(*) AS total FROM submissions WHERE ${where}`);
  const total = counted?.total ?? 0;
  if (offset >= total) return { total, rows: [] };
  const rows = await db.all(sql<SubmissionRow>`
    SELECT ${SUBMISSION_COLUMNS} FROM submissions WHERE ${where} ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
  return { total, rows };
}

/** The same for a filter that is dear to judge and rarely matches: every submission is judged once, not twice. */
async function readMatches(db: Queryable, where: Query, limit: number, offset: number): Promise<Page> {
  const matches = await db.all(sql<{ id: number }>`SELECT id FROM submissions WHERE ${where} ORDER BY id DESC`);
  const wanted = matches.slice(offset, offset + limit).map(({ id }) => String(id));
  if (wanted.length === 0) return { total: matches.length, rows: [] };
  const rows = await db.all(sql<SubmissionRow>`
    SELECT ${SUBMISSION_COLUMNS} FROM submissions
    WHERE id IN (SELECT CAST(value AS BIGINT) FROM ${eachText(wanted)} AS e) ORDER BY id DESC`);
  return { total: matches.length, rows };
}

function conditions(account: AccountId, { status, reference, url, q, from, to }: ListQuery): Query[] {
  const all = [sql`account_id = ${account}`];
  if (status !== undefined) all.push(sql`status = ${status}`);
  if (reference !== undefined) all.push(sql`reference = ${reference}`);
  if (from !== undefined) all.push(sql`created_at >= ${parseDay(from)}`);
  if (to !== undefined) all.push(sql`created_at < ${parseDay(to) + DAY_MS}`);
  if (q !== undefined && q !== '') all.push(sql`searchable LIKE ${containing(q)} ESCAPE '\\'`);
  if (url !== undefined) {
    const key = urlKey(urlIdentity(url), account);
    // One look into the index per submission of the account, some microseconds each.
    all.push(sql`EXISTS (
      SELECT 1 FROM submission_urls AS u WHERE u.submission_id = submissions.id AND u.url_key = ${key})`);
  }
  return all;
}
