import type { Submission } from '../../../../contract/responses.ts';
import { SUBMISSION_STATES } from '../../../../contract/states.ts';
import { toCsv } from '../../../accounts/csv.ts';
import { findSubmission } from '../../../submissions/detail.ts';
import { listSubmissions } from '../../../submissions/list.ts';
import type { SubmissionRow } from '../../../submissions/record.ts';
import { toSubmission } from '../../../submissions/record.ts';
import { facts, notice, pager, select, stateBadge, table } from '../components.ts';
import { columnDecimals, toMicros } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { showPage } from '../layout.ts';
import { type Dashboard, sendCsv } from '../routes.ts';
import { type FilterName, type Filters, readFilters, toQuery } from '../submission-filters.ts';
import { countUrls, listUrls, URL_FILTERS, type UrlFilter, type UrlOutcome } from '../url-states.ts';
import { getPage, getParam, getQuery, type View, type Visit } from '../view.ts';
import { toDay } from '../zones.ts';

const URLS_PER_PAGE = 30;
const PER_PAGE = 20;
/** Rows of a download, read in slices so that other requests get their turn. */
const DOWNLOAD = { rows: 10_000, slice: 500 };

/** Submissions with the filters of the API, their URLs, and both as a download. */
export function submissionPages({ context, page }: Dashboard): void {
  const { now } = context;
  page('/submissions', async (visit) => {
    const { db, text, format, request, session } = visit;
    const filters = readFilters(getQuery(request));
    const list = await listSubmissions(db, session.account.id, {
      ...filters.query,
      page: getPage(request),
      limit: PER_PAGE,
    });
    const { page, total_pages: pages, total } = list.pagination;
    const query = toQuery(filters);
    const { submissions: t } = text;
    const names: Record<FilterName, string> = {
      q: t.search,
      status: text.common.state,
      url: t.holds,
      from: t.from,
      to: t.to,
    };
    const content = html`${filters.invalid.map((name) => notice(t.badFilter(names[name])))}
${filterForm(visit, filters, toDay('UTC', now()))}
${submissionsTable(visit, `${t.caption} (${format.count(total)})`, list.submissions)}
${pager(visit, `/submissions${query === '' ? '' : `?${query}`}`, page, pages)}
<p><a class="button" href="/submissions.csv${query === '' ? '' : `?${query}`}">${text.common.download}</a></p>
<p class="quiet">${t.downloadNote(format.count(DOWNLOAD.rows))} ${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'submissions', content });
  });

  page('/submissions.csv', async ({ db, request, reply, session }) => {
    const { query } = readFilters(getQuery(request));
    const rows: Submission[] = [];
    for (let page = 1; rows.length < DOWNLOAD.rows; page++) {
      const { submissions } = await listSubmissions(db, session.account.id, {
        ...query,
        page,
        limit: DOWNLOAD.slice,
      });
      rows.push(...submissions);
      if (submissions.length < DOWNLOAD.slice) break;
    }
    const header = [
      ...['reference', 'project', 'service', 'status', 'urls', 'completed', 'failed', 'pending', 'price_per_url_try'],
      ...['charged_try', 'refunded_try', 'accepted_at', 'started_at', 'finished_at'],
    ];
    const cells = rows.map((row) => [
      ...[row.reference, row.project, row.service, row.status, row.url_count, row.urls_completed, row.urls_failed],
      ...[row.urls_pending, row.price_per_url, row.charged, row.refunded],
      ...[row.created_at, row.started_at, row.finished_at],
    ]);
    return sendCsv(reply, 'submissions', toCsv(header, cells));
  });

  page('/submissions/:reference', async (visit) => {
    const { db, text, format, request, session } = visit;
    const row = await findSubmission(db, session.account.id, getParam(request, 'reference'));
    if (row === undefined) return showMissing(visit);
    const { show = '' } = getQuery(request);
    const filter = URL_FILTERS.find((each) => each === show) ?? 'all';
    const pages = Math.max(1, Math.ceil(countUrls(row, filter) / URLS_PER_PAGE));
    const page = Math.min(getPage(request), pages);
    const urls = await listUrls(db, row, { filter, limit: URLS_PER_PAGE, offset: (page - 1) * URLS_PER_PAGE });
    const path = `/submissions/${row.reference}`;
    const content = html`<p><a href="/submissions">${text.submission.back}</a></p>
${submissionFacts(visit, row)}
<nav class="pager" aria-label="${text.submission.filter}">${URL_FILTERS.map(
      (each) =>
        html`<a href="${path}${each === 'all' ? '' : `?show=${each}`}"${each === filter ? html` aria-current="true"` : nothing}>${filterName(visit, each)} (${format.count(countUrls(row, each))})</a> `,
    )}</nav>
${row.urls_deleted_at === null ? urlTable(visit, urls) : html`<p>${text.submission.deleted}</p>`}
${pager(visit, `${path}${filter === 'all' ? '' : `?show=${filter}`}`, page, pages)}
<p><a class="button" href="${path}/urls.csv">${text.common.download}</a></p>
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: row.reference, section: 'submissions', content });
  });

  page('/submissions/:reference/urls.csv', async (visit) => {
    const { db, request, reply, session } = visit;
    const row = await findSubmission(db, session.account.id, getParam(request, 'reference'));
    if (row === undefined) return showMissing(visit);
    const urls = await listUrls(db, row, { filter: 'all', limit: row.url_count, offset: 0 });
    const cells = urls.map(({ position, url, state, reason }) => [position + 1, url, state, reason]);
    return sendCsv(reply, row.reference, toCsv(['number', 'url', 'status', 'reason'], cells));
  });
}

function showMissing(visit: Visit) {
  const { missingTitle: title, missing, back } = visit.text.submission;
  visit.reply.status(404);
  const content = html`<p>${missing}</p><p><a href="/submissions">${back}</a></p>`;
  return showPage(visit, { title, section: 'submissions', content });
}

function filterForm(visit: Visit, { typed }: Filters, today: string): Html {
  const { submissions: t, common, states } = visit.text;
  const options = [['', common.all], ...SUBMISSION_STATES.map((state) => [state, states[state]] as const)] as const;
  // The browser's own words for a date may be others than those of the pages.
  const day = (name: 'from' | 'to') =>
    html`<label><span>${t[name]} <small class="quiet">${visit.format.date(typed[name] || today)}</small></span> <input name="${name}" type="date" value="${typed[name]}"></label>`;
  return html`<form class="filters" method="get" action="/submissions" role="search">
<label class="wide">${t.search} <input name="q" value="${typed.q}" maxlength="120"></label>
<label class="wide">${t.holds} <input name="url" type="url" value="${typed.url}" maxlength="2048" placeholder="https://"></label>
${select({ name: 'status', label: common.state, options, chosen: typed.status })}
${day('from')}
${day('to')}
<button class="primary">${t.filter}</button> <a class="button" href="/submissions">${t.clear}</a>
</form>`;
}

export function submissionsTable(view: View, caption: string, submissions: readonly Submission[]): Html {
  const { text, format } = view;
  const { submissions: t, common } = text;
  const decimals = columnDecimals(submissions.map(({ charged }) => toMicros(charged)));
  return table({
    caption,
    columns: [
      [t.reference, ({ reference }) => html`<a href="/submissions/${reference}">${reference}</a>`],
      [t.project, ({ project }) => project, 'text'],
      [common.service, ({ service }) => text.services[service]],
      [common.state, ({ status }) => stateBadge(view, status)],
      [common.urls, (each) => format.count(each.url_count), 'number'],
      [t.charged, ({ charged }) => format.money(toMicros(charged), decimals), 'number'],
      [t.accepted, (each) => format.time(each.created_at)],
    ],
    rows: submissions,
    empty: t.empty,
  });
}

function submissionFacts(visit: Visit, row: SubmissionRow): Html {
  const { text, format } = visit;
  const { submission: t, submissions, common } = text;
  const { project, service, status } = toSubmission(row);
  return facts([
    [common.state, stateBadge(visit, status)],
    [submissions.project, project],
    [common.service, text.services[service]],
    [t.counts, format.count(row.url_count)],
    [t.completed, format.count(row.urls_completed)],
    [t.failed, format.count(row.urls_failed)],
    [t.pending, format.count(row.url_count - row.urls_completed - row.urls_failed)],
    [t.price, format.money(row.price)],
    [submissions.charged, format.money(row.charged)],
    [submissions.refunded, format.money(row.refunded)],
    [submissions.accepted, format.time(row.created_at)],
    [t.started, format.time(row.started_at)],
    [t.ended, format.time(row.finished_at)],
  ]);
}

const filterName = ({ text }: View, filter: UrlFilter): string =>
  filter === 'all'
    ? text.common.all
    : { failed: text.submission.failed, pending: text.submission.pending, completed: text.submission.completed }[
        filter
      ];

const urlTable = (view: View, urls: readonly UrlOutcome[]): Html =>
  table({
    caption: view.text.submission.caption,
    columns: [
      [view.text.common.url, ({ url }) => url, 'text'],
      [view.text.common.state, ({ state }) => stateBadge(view, state)],
      [view.text.submission.reason, ({ reason }) => reason ?? view.text.common.none, 'text'],
    ],
    rows: urls,
    empty: view.text.submission.empty,
  });
