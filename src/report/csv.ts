import { formatDay } from '../submission/instant.ts';
import { renderReason } from '../submission/reason.ts';
import { type Cell, renderLines } from './csv-lines.ts';
import { toCoverage } from './figures/coverage.ts';
import type { Report } from './report.ts';

const COLUMNS = ['figure', 'day', 'account', 'watch', 'stage', 'measure', 'value', 'text'] as const;

type Line = Partial<Record<(typeof COLUMNS)[number], Cell>>;

/**
 * The figures as CSV, one value a line, so that a spreadsheet can group them by any column. Amounts are in micro-lira and times in
 * milliseconds, as the measure says. Days are of UTC.
 */
export const renderCsv = (report: Report): string => renderLines(COLUMNS, listLines(report));

function* listLines(report: Report): Generator<Line> {
  for (const each of report.watches) {
    const { watch, account } = each;
    for (const { day, ...counts } of toCoverage(each))
      for (const [measure, value] of Object.entries(counts))
        if (value !== null) yield { figure: 'coverage', day: formatDay(day), account, watch, measure, value };
    for (const { day, listed: _, ...counts } of each.runs)
      for (const [measure, value] of Object.entries(counts))
        yield { figure: 'runs', day: formatDay(day), account, watch, measure, value };
    for (const { day, urls, found } of each.checks) {
      yield { figure: 'index_checks', day: formatDay(day), account, watch, measure: 'checked', value: urls };
      yield { figure: 'index_checks', day: formatDay(day), account, watch, measure: 'found', value: found };
    }
    const { urls, oldestUrl } = each.due;
    yield { figure: 'due', account, watch, measure: 'urls', value: urls, text: oldestUrl };
    for (const { reason, urls: value, example } of each.quarantine) {
      const text = `${renderReason(reason)}: ${example}`;
      yield { figure: 'quarantine', account, watch, measure: 'urls', value, text };
    }
  }
  for (const { account, days, waiting } of report.accounts) {
    for (const { day, urls, submissions, checkedUrls, checks, unknownChargeUrls } of days) {
      const measures = {
        urls,
        submissions_micros: submissions,
        checked_urls: checkedUrls,
        checks_micros: checks,
        unknown_charge_urls: unknownChargeUrls,
      };
      for (const [measure, value] of Object.entries(measures))
        yield { figure: 'spend', day: formatDay(day), account, measure, value };
    }
    for (const { kind, batch, watch, since, reason } of waiting) {
      const text = reason === null ? `batch ${batch}` : `batch ${batch}: ${renderReason(reason)}`;
      const value = Math.max(0, report.madeAt - since);
      yield { figure: 'waiting', day: formatDay(since), account, watch, measure: `${kind}_ms`, value, text };
    }
  }
  for (const { stage, days } of report.stages) {
    for (const { day, urls, median, ninth } of days) {
      const measures = { urls, median_ms: median, nine_in_ten_ms: ninth };
      for (const [measure, value] of Object.entries(measures))
        yield { figure: 'times', day: formatDay(day), stage, measure, value };
    }
  }
  for (const { reason, urls } of report.failures)
    yield { figure: 'failures', measure: 'urls', value: urls, text: reason };
  if (report.otherFailures > 0) yield { figure: 'failures', measure: 'other_urls', value: report.otherFailures };
  for (const { batch, watch, acceptedAt, ms, reference } of report.slowest) {
    const text = reference === null ? `batch ${batch}` : `batch ${batch}: ${reference}`;
    yield { figure: 'slowest', day: formatDay(acceptedAt), watch, measure: 'job_ms', value: ms, text };
  }
}
