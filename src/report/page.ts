import { sumMicros } from '../../contract/money.ts';
import { type Figure, renderFigure } from './figure.ts';
import { buildChecks } from './figures/checks.ts';
import { buildCoverage, buildCoverageTable } from './figures/coverage.ts';
import { buildDue, buildQuarantine } from './figures/due.ts';
import { buildFailures } from './figures/failures.ts';
import { buildNew } from './figures/new-urls.ts';
import { buildSpend } from './figures/spend.ts';
import { buildStage } from './figures/stages.ts';
import { buildSlowest, buildWaiting } from './figures/waiting.ts';
import { createFormats, type Formats } from './formats.ts';
import { type Html, html, Html as Markup } from './html.ts';
import type { Language, MessageKey } from './messages.ts';
import { PAGE_STYLE } from './page-style.ts';
import type { Report } from './report.ts';

/** Plots of watches: of more, those with the most URLs. The table has all of them. */
const MAX_WATCH_PLOTS = 12;
const NAMED_WATCHES = 6;

/** Nothing is loaded, run or sent: whatever a site or a service wrote into the ledger is text. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The report as one HTML file. */
export function renderPage(report: Report, language: Language): string {
  const formats = createFormats(language);
  const { say, day, instant, count } = formats;
  const names = report.watches.map(({ watch }) => watch);
  const period = say('period', { from: day(report.since), to: day(report.today) });
  const sections = listSections(report, formats);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${say('title')}: ${period}</title>
<style>${new Markup(PAGE_STYLE)}</style>
</head>
<body>
<header>
<h1>${say('title')}</h1>
<p class="period">${period}</p>
<p class="quiet">${names.length > NAMED_WATCHES ? say('all_watches', { count: count(names.length) }) : say('watches', { names: names.join(', ') })}</p>
<p class="quiet made">${say('made', { at: instant(report.madeAt) })}</p>
<nav aria-label="${say('contents')}"><ul>${sections.map(({ key }) => html`<li><a href="#${key}">${say(key)}</a></li>`)}</ul></nav>
</header>
<main>
${renderTiles(report, formats)}
${sections.map(({ key, about, body }) => html`<section aria-labelledby="${key}"><h2 id="${key}">${say(key)}</h2>${about.map((text) => html`<p class="about">${text}</p>`)}${body}</section>\n`)}
</main>
<footer>${say('footer')}</footer>
</body>
</html>
`.text;
}

interface Section {
  readonly key: MessageKey;
  readonly about: readonly string[];
  readonly body: Html;
}

function listSections(report: Report, formats: Formats): Section[] {
  const { say, day, count } = formats;
  const render = (figures: readonly Figure[]) => {
    const isAlone = figures.length === 1;
    const rendered = figures.map((figure) => renderFigure(figure, formats, { isAlone }));
    return html`<div class="grid${isAlone ? ' single' : ''}">${rendered}</div>`;
  };
  const renderList = (figures: readonly Figure[]) =>
    html`<div class="grid single">${figures.map((figure) => renderFigure(figure, formats))}</div>`;
  const plotted = report.watches
    .toSorted((a, b) => (b.counts.at(-1)?.listed ?? 0) - (a.counts.at(-1)?.listed ?? 0))
    .slice(0, MAX_WATCH_PLOTS);
  const others = report.watches.length - plotted.length;
  const partial = (since: number | null) => (since === null ? [] : [say('partial', { day: day(since) })]);
  return [
    {
      key: 'coverage',
      about: [say('coverage_note'), ...(others === 0 ? [] : [say('coverage_others', { count: count(others) })])],
      body: html`${render(plotted.map((watch) => buildCoverage(report, watch, formats)))}${
        report.watches.length > 1 ? renderList([buildCoverageTable(report, formats)]) : null
      }`,
    },
    {
      key: 'spend',
      about: [],
      body: render(report.accounts.map((account) => buildSpend(report, account, formats))),
    },
    { key: 'new', about: [], body: render([buildNew(report, formats)]) },
    {
      key: 'times',
      about: [
        say('times_note'),
        ...partial(report.purchasesSince),
        ...(report.checkDetailsFrom === null ? [] : [say('checks_removed', { day: day(report.checkDetailsFrom) })]),
      ],
      body: render(report.stages.map((stage) => buildStage(report, stage, formats))),
    },
    { key: 'checks', about: partial(report.checksSince), body: render([buildChecks(report, formats)]) },
    {
      key: 'failures',
      about: partial(report.purchasesSince),
      body: render([buildFailures(report, formats)]),
    },
    {
      key: 'attention',
      about: [],
      body: renderList([
        buildWaiting(report, formats),
        buildSlowest(report, formats),
        buildDue(report, formats),
        buildQuarantine(report, formats),
      ]),
    },
  ];
}

function renderTiles(report: Report, { say, count, percent, money }: Formats): Html {
  const last = report.watches.flatMap(({ counts }) => counts.at(-1) ?? []);
  const sum = (key: 'listed' | 'bought' | 'checked' | 'found') => last.reduce((all, each) => all + each[key], 0);
  const days = Math.round((report.today - report.since) / 86_400_000) + 1;
  const fresh = report.watches.flatMap(({ runs }) => runs).reduce((all, run) => all + run.new, 0);
  const spent = report.accounts.flatMap((account) => account.days);
  const charged = sumMicros(...spent.map(({ submissions, checks }) => sumMicros(submissions, checks)));
  const unknown = spent.reduce((all, { unknownChargeUrls }) => all + unknownChargeUrls, 0);
  const decisions = report.accounts.reduce((all, { waits }) => all + waits.needs_review, 0);
  const quarantined = report.watches.flatMap(({ quarantine }) => quarantine).reduce((all, { urls }) => all + urls, 0);
  const tile = (label: MessageKey, value: string, detail: string) =>
    html`<div><dt>${say(label)}</dt><dd class="value">${value}</dd><dd>${detail}</dd></div>`;
  const adopted = report.watches.reduce((all, watch) => all + watch.adopted, 0);
  const share = (part: number, of: number) => percent(of === 0 ? 0 : part / of);
  return html`<dl class="tiles">${[
    tile('tile_listed', count(sum('listed')), say('urls_axis')),
    tile(
      'tile_bought',
      count(sum('bought')),
      say(adopted === 0 ? 'tile_of_listed' : 'tile_of_not_adopted', {
        percent: share(sum('bought'), Math.max(sum('listed') - adopted, sum('bought'))),
        adopted: count(adopted),
      }),
    ),
    tile(
      'tile_found',
      sum('checked') === 0 ? '–' : count(sum('found')),
      sum('checked') === 0
        ? say('tile_nothing_checked')
        : say('tile_of_checked', { percent: share(sum('found'), sum('checked')), count: count(sum('checked')) }),
    ),
    tile('tile_new', count(fresh), say('tile_new_per_day', { count: count(fresh / days) })),
    tile(
      'tile_charged',
      money(charged),
      unknown === 0
        ? say('tile_per_day', { amount: money(Math.round(charged / days / 10_000) * 10_000) })
        : say('tile_without_charge', { count: count(unknown) }),
    ),
    tile(
      'tile_waiting',
      count(decisions),
      quarantined > 0
        ? say('tile_quarantine', { count: count(quarantined) })
        : say(decisions === 0 ? 'tile_no_decision' : 'needs_review'),
    ),
  ]}</dl>`;
}
