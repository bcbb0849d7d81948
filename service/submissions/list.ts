import { LIMITS } from '../../contract/limits.ts';
import type { ListQuery } from '../../contract/requests.ts';
import type { SubmissionList } from '../../contract/responses.ts';
import type { Queryable } from '../../src/database/database.ts';
import { dialectal, eachText, join, type Query, raw, sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { PART } from '../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../capacity/yield-to-event-loop.ts';
import { pagination } from './pagination.ts';
import { SUBMISSION_COLUMNS, type SubmissionRow, toSubmission } from './record.ts';
import { isReference } from './reference.ts';
import { holdsText } from './search.ts';
import { getTotals } from './totals.ts';
import { urlIdentity, urlKey } from './url-identity.ts';

const DAY_MS = 86_400_000;
const parseDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/**
 * One page of an account's submissions, newest first; filters narrow it together (spec 4.5). The whole list and one
 * state cost the same however many there are, but for a page far behind; other filters are read in parts, with
 * other work between them. Uses submissions_of_account, submissions_by_status and submission_urls_by_key.
 */
export async function listSubmissions(db: Queryable, account: AccountId, query: ListQuery): Promise<SubmissionList> {
  const { page = 1, limit = LIMITS.listPage.default } = query;
  const offset = (page - 1) * limit;
  const { total, ids } = await findPage(db, account, query, { offset, limit });
  const rows =
    ids.length === 0
      ? []
      : await db.all(sql<SubmissionRow>`
          SELECT ${SUBMISSION_COLUMNS} FROM submissions
          WHERE id IN (SELECT CAST(value AS BIGINT) FROM ${eachText(ids.map(String))} AS e) ORDER BY id DESC`);
  return { submissions: rows.map(toSubmission), pagination: pagination(page, limit, total) };
}

interface Range {
  readonly offset: number;
  readonly limit: number;
}

interface Page {
  readonly total: number;
  readonly ids: readonly number[];
}

async function findPage(db: Queryable, account: AccountId, query: ListQuery, range: Range): Promise<Page> {
  const { reference, url, q = '', from, to, status } = query;
  if (reference !== undefined && !isReference(reference)) return { total: 0, ids: [] };
  if (url !== undefined && !/^https?:/i.test(url)) return { total: 0, ids: [] };
  if (reference !== undefined) return findByReference(db, account, { ...query, reference }, range);
  if (url === undefined && q === '' && from === undefined && to === undefined) {
    const totals = await getTotals(db, account);
    const counted = totals.filter((each) => status === undefined || each.status === status);
    const total = counted.reduce((sum, { submissions }) => sum + submissions, 0);
    return { total, ids: await skipTo(db, account, query, range, total) };
  }
  return scan(db, account, query, range);
}

async function findByReference(
  db: Queryable,
  account: AccountId,
  query: ListQuery & { readonly reference: string },
  range: Range,
): Promise<Page> {
  const where = join(conditions(account, query), ' AND ');
  const rows = await db.all(sql<{ id: number; url: string | null }>`
    SELECT id, ${urlColumn(account, query)} AS url FROM submissions WHERE reference = ${query.reference} AND ${where}`);
  const ids = rows.filter((row) => holdsUrl(row.url, query)).map(({ id }) => id);
  return { total: ids.length, ids: ids.slice(range.offset, range.offset + range.limit) };
}

/** The ids of a page of the whole list or of one state. The index is walked in parts to a page far behind. */
async function skipTo(
  db: Queryable,
  account: AccountId,
  { status }: ListQuery,
  { offset, limit }: Range,
  total: number,
): Promise<number[]> {
  if (offset >= total) return [];
  let below = Number.MAX_SAFE_INTEGER;
  let skipped = 0;
  const ofState = status === undefined ? sql`` : sql`AND status = ${status}`;
  while (offset - skipped > PART.rows) {
    const last = await db.get(sql<{ id: number }>`
      SELECT id FROM submissions WHERE account_id = ${account} ${ofState} AND id < ${below}
      ORDER BY id DESC LIMIT 1 OFFSET ${PART.rows - 1}`);
    if (last === undefined) return [];
    below = last.id;
    skipped += PART.rows;
    await yieldToEventLoop();
  }
  const rows = await db.all(sql<{ id: number }>`
    SELECT id FROM submissions WHERE account_id = ${account} ${ofState} AND id < ${below}
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset - skipped}`);
  return rows.map(({ id }) => id);
}

/** Looks at every submission of the account that may match, newest first, in parts. */
async function scan(db: Queryable, account: AccountId, query: ListQuery, { offset, limit }: Range): Promise<Page> {
  const where = join(conditions(account, query), ' AND ');
  const part = query.url === undefined ? PART.rows : PART.lookUps;
  const ids: number[] = [];
  let total = 0;
  for (let below = Number.MAX_SAFE_INTEGER; ; await yieldToEventLoop()) {
    const last = await db.get(sql<{ id: number }>`
      SELECT id FROM submissions WHERE account_id = ${account} AND id < ${below}
      ORDER BY id DESC LIMIT 1 OFFSET ${part - 1}`);
    const from = last?.id ?? 0;
    const rows = await db.all(sql<{ id: number; url: string | null }>`
      SELECT id, url FROM (
        SELECT id, ${urlColumn(account, query)} AS url FROM submissions
        WHERE ${where} AND id >= ${from} AND id < ${below}) AS candidates
      ${query.url === undefined ? sql`` : sql`WHERE url IS NOT NULL`} ORDER BY id DESC`);
    for (const row of rows) {
      if (!holdsUrl(row.url, query)) continue;
      if (total >= offset && ids.length < limit) ids.push(row.id);
      total++;
    }
    if (last === undefined) return { total, ids };
    below = from;
  }
}

/** SQLite would read every URL of the submission: it takes the primary key to be as good. */
const BY_KEY = dialectal(raw('INDEXED BY submission_urls_by_key'), raw(''));

/** The URL of a submission that the index says may be the wanted one: 53 bits of it are equal. */
function urlColumn(account: AccountId, { url }: ListQuery): Query {
  if (url === undefined) return raw('NULL');
  return sql`(
    SELECT u.url FROM submission_urls AS u ${BY_KEY}
    WHERE u.submission_id = submissions.id AND u.url_key = ${urlKey(urlIdentity(url), account)} LIMIT 1)`;
}

const holdsUrl = (found: string | null, { url }: ListQuery): boolean =>
  url === undefined || (found !== null && urlIdentity(found) === urlIdentity(url));

function conditions(account: AccountId, { status, q, from, to }: ListQuery): Query[] {
  const all = [sql`account_id = ${account}`];
  if (status !== undefined) all.push(sql`status = ${status}`);
  if (from !== undefined) all.push(sql`created_at >= ${parseDay(from)}`);
  if (to !== undefined) all.push(sql`created_at < ${parseDay(to) + DAY_MS}`);
  if (q !== undefined && q !== '') all.push(holdsText(raw('searchable'), q));
  return all;
}
