import { latestEntries } from '../../../accounts/entries.ts';
import { listLiveKeys } from '../../../accounts/keys.ts';
import { listSubmissions } from '../../../submissions/list.ts';
import { accountStats } from '../../../submissions/stats.ts';
import { barChart } from '../chart.ts';
import { facts } from '../components.ts';
import { type DayFigures, readDailyFigures } from '../daily-figures.ts';
import { showFirstRequest } from '../first-request.ts';
import { toMicros } from '../format.ts';
import { type Html, html, nothing } from '../html.ts';
import { showPage } from '../layout.ts';
import type { Dashboard } from '../routes.ts';
import type { Visit } from '../view.ts';
import { entriesTable } from './entries.ts';
import { submissionsTable } from './submissions.ts';

const LATEST = 5;

/** The first page: balance, prices, totals, the last 30 days, and what happened last. */
export function overviewPage({ context, page }: Dashboard): void {
  const { settings, now } = context;
  page('/', async (visit) => {
    const { db, text, format, session } = visit;
    const { account } = session;
    const [stats, days, list, entries] = await Promise.all([
      accountStats(db, account),
      readDailyFigures(db, account.id, visit.zone, now()),
      listSubmissions(db, account.id, { limit: LATEST }),
      latestEntries(db, account.id, LATEST),
    ]);
    const { overview: t } = text;
    const start = list.submissions.length > 0 ? nothing : showStart(visit, await listLiveKeys(db, account.id, now()));
    const content = html`${start}<h2>${t.balance}</h2>
<p class="big">${format.money(account.balance)}</p>
<p class="quiet">${t.topUp}</p>
<h2>${t.prices}</h2>
${facts([
  [t.standard, format.money(account.prices.standard)],
  [t.fast, format.money(account.prices.fast)],
  [t.indexCheck, format.money(settings.indexCheckPrice)],
])}
<h2>${t.totals}</h2>
${facts([
  [t.submissions, format.count(stats.submissions.total)],
  [t.urlsCompleted, format.count(stats.urls.completed)],
  [t.urlsFailed, format.count(stats.urls.failed)],
  [t.urlsPending, format.count(stats.urls.pending)],
  [t.spent, format.money(toMicros(stats.spending.total))],
])}
<div class="charts">${charts(visit, days)}</div>
${list.submissions.length === 0 ? nothing : latest(submissionsTable(visit, t.latestSubmissions, list.submissions), '/submissions', t.allSubmissions)}
${latest(entriesTable(visit, t.latestEntries, entries), '/entries', t.allEntries)}
<p class="quiet">${text.common.zone(visit.zone)}</p>`;
    return showPage(visit, { title: t.title, section: 'overview', content });
  });

  /** What to do first: a key, and a request with it. */
  function showStart(visit: Visit, keys: readonly unknown[]): Html {
    const { overview: t } = visit.text;
    const key =
      keys.length === 0
        ? html`<p><a class="button primary" href="/keys">${t.startKeyButton}</a></p>`
        : html`<p><span class="state done">${t.startKeyDone}</span> <a href="/keys">${visit.text.keys.title}</a></p>`;
    return html`<section class="start"><h2>${t.start}</h2>
<ol><li><h3>${t.startKey}</h3>${key}</li>
<li><h3>${t.startRequest}</h3>${showFirstRequest(visit, settings)}</li></ol></section>`;
  }
}

const latest = (shown: Html, path: string, name: string): Html => html`${shown}<p><a href="${path}">${name}</a></p>`;

function charts({ text, format }: Visit, days: readonly DayFigures[]): Html {
  const { overview: t } = text;
  const chart = (title: string, value: (day: DayFigures) => number, shown: (day: DayFigures) => string) =>
    barChart({
      title,
      bars: days.map((day) => ({ label: format.day(day.day), value: value(day), shown: shown(day) })),
      highest: t.highest,
      figures: t.chartTable,
    });
  return html`${chart(
    t.spendChart,
    ({ spent }) => spent,
    ({ spent }) => format.money(spent),
  )}${chart(
    t.urlChart,
    ({ urls }) => urls,
    ({ urls }) => format.count(urls),
  )}`;
}
