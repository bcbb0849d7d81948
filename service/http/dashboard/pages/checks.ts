import type { Micros } from '../../../../contract/money.ts';
import type { Queryable } from '../../../../src/database/database.ts';
import { sql } from '../../../../src/database/sql.ts';
import type { AccountId } from '../../../accounts/account.ts';
import { PART } from '../../../capacity/part-of-statement.ts';
import { yieldToEventLoop } from '../../../capacity/yield-to-event-loop.ts';
import type { Finding } from '../../../index-check/provider.ts';
import { required } from '../../../required.ts';
import { facts, pager, stateBadge, table } from '../components.ts';
import { columnDecimals } from '../format.ts';
import { type Html, html } from '../html.ts';
import { showPage } from '../layout.ts';
import type { Dashboard } from '../routes.ts';
import { getPage, getParam, type Visit } from '../view.ts';

const PER_PAGE = 25;

interface Check {
  readonly id: string;
  readonly status: 'executing' | 'done' | 'restored';
  readonly url_count: number;
  readonly found_count: number;
  readonly price: Micros;
  readonly charged: Micros;
  readonly created_at: number;
}

/** Where a part of the list begins: how many checks are newer, and the time that all others are before. */
interface Part {
  readonly newer: number;
  readonly before: number;
}

/** Counts the index-checks of an account, in parts. Uses index_checks_of_account. */
async function countChecks(db: Queryable, account: AccountId): Promise<{ total: number; parts: Part[] }> {
  const parts: Part[] = [];
  let total = 0;
  for (let before = Number.MAX_SAFE_INTEGER; ; await yieldToEventLoop()) {
    parts.push({ newer: total, before });
    const last = await db.get(sql<{ created_at: number }>`
      SELECT created_at FROM index_checks WHERE account_id = ${account} AND created_at < ${before}
      ORDER BY created_at DESC LIMIT 1 OFFSET ${PART.rows - 1}`);
    const { found } = await db.one(sql<{ found: number }>`
      SELECT count(*) AS found FROM index_checks
      WHERE account_id = ${account} AND created_at < ${before} AND created_at >= ${last?.created_at ?? 0}`);
    total += found;
    if (last === undefined) return { total, parts };
    before = last.created_at;
  }
}

/** Index-checks of an account, newest first. The list of their URLs, which may be long, is not read to skip one. */
const listChecks = (db: Queryable, account: AccountId, { before, newer }: Part, offset: number): Promise<Check[]> =>
  db.all(sql<Check>`
    SELECT id, status, url_count, found_count, price, charged, created_at FROM index_checks WHERE id IN (
      SELECT id FROM (
        SELECT id FROM index_checks WHERE account_id = ${account} AND created_at < ${before}
        ORDER BY created_at DESC, id LIMIT ${PER_PAGE} OFFSET ${offset - newer}) AS page)
    ORDER BY created_at DESC, id`);

/** Index-checks and their results. */
export function checkPages({ context, page }: Dashboard): void {
  const { settings } = context;

  page('/index-checks', async (visit) => {
    const { db, text, format, session, request } = visit;
    const { checks: t } = text;
    const { id } = session.account;
    const { total, parts } = await countChecks(db, id);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(getPage(request), pages);
    const offset = (page - 1) * PER_PAGE;
    const part = parts.findLast(({ newer }) => newer <= offset);
    const rows = await listChecks(db, id, required(part, 'the part of the page'), offset);
    const content = html`<p>${t.intro(format.money(settings.indexCheckPrice))}</p>
${checksTable(visit, rows)}
${pager(visit, '/index-checks', page, pages)}
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'checks', content });
  });

  page('/index-checks/:id', async (visit) => {
    const { db, text, format, session, request, reply } = visit;
    const { checks: t } = text;
    const row = await db.get(sql<Check & { urls: string; results: string | null }>`
        SELECT id, status, url_count, found_count, price, charged, created_at, urls, results FROM index_checks
        WHERE account_id = ${session.account.id} AND id = ${getParam(request, 'id')}`);
    if (row === undefined) {
      reply.status(404);
      const content = html`<p>${t.missing}</p><p><a href="/index-checks">${t.back}</a></p>`;
      return showPage(visit, { title: t.missingTitle, section: 'checks', content });
    }
    const content = html`<p><a href="/index-checks">${t.back}</a></p>
${facts([
  [text.common.state, stateBadge(visit, row.status)],
  [text.common.urls, format.count(row.url_count)],
  [t.found, row.status === 'done' ? format.count(row.found_count) : text.common.none],
  [text.submission.price, format.money(row.price)],
  [t.charged, format.money(chargeThatStands(row))],
  [text.common.time, format.time(row.created_at)],
])}
${results(visit, row.status, JSON.parse(row.urls) as string[], row.results)}
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: row.id, section: 'checks', content });
  });
}

const chargeThatStands = ({ status, charged }: Check): Micros => (status === 'restored' ? (0 as Micros) : charged);

function checksTable(visit: Visit, rows: readonly Check[]): Html {
  const { text, format } = visit;
  const { checks: t, common } = text;
  const decimals = columnDecimals(rows.map(chargeThatStands));
  return table({
    caption: t.caption,
    columns: [
      [t.id, ({ id }) => html`<a href="/index-checks/${id}">${id}</a>`],
      [common.time, (row) => format.time(row.created_at)],
      [common.state, ({ status }) => stateBadge(visit, status)],
      [common.urls, (row) => format.count(row.url_count), 'number'],
      [t.found, (row) => (row.status === 'done' ? format.count(row.found_count) : common.none), 'number'],
      [t.charged, (row) => format.money(chargeThatStands(row), decimals), 'number'],
    ],
    rows,
    empty: t.empty,
  });
}

function results(
  { text, format }: Visit,
  status: Check['status'],
  urls: readonly string[],
  stored: string | null,
): Html {
  const { checks: t } = text;
  if (stored === null) return html`<p>${{ executing: t.running, restored: t.none, done: t.deleted }[status]}</p>`;
  const findings = JSON.parse(stored) as Finding[];
  return table({
    caption: t.results,
    columns: [
      [text.common.url, ({ url }) => url, 'text'],
      [t.found, ({ found }) => (found === null ? t.unknown : found ? t.yes : t.no)],
      [t.position, ({ position }) => (position === null ? text.common.none : format.count(position)), 'number'],
    ],
    rows: urls.map((url, index) => ({ url, ...required(findings[index], `the finding of ${url}`) })),
  });
}
