import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  instant,
  micros,
  nullable,
  oneOf,
  text,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { toCoverage } from '../../../report/figures/coverage.ts';
import { type Report, STAGES } from '../../../report/report.ts';
import { renderReason } from '../../../submission/reason.ts';

const from = instant('start of the day');
const watch = text('name of the watch');
const account = text('name of the account');
/** What nearly every figure is of. */
const OF_WATCH = { watch, account };

const PeriodRecord = defineRecord('report_period', 'What the report covers, and since when its figures are whole.', {
  from: instant('start of the first day'),
  to: instant('start of today'),
  made_at: instant('when'),
  purchases_since: nullable(instant('times and failures begin here; null: with the period')),
  checks_since: nullable(instant('index checks begin here; null: with the period')),
  check_details_since: nullable(instant('details of earlier checks were removed')),
});

const CoverageRecord = defineRecord('report_coverage', 'How far the listed URLs of a watch were on a day.', {
  ...OF_WATCH,
  from,
  listed: nullable(count('URLs in the sitemaps')),
  bought: nullable(count('of them, accepted at least once; null: not counted that day')),
  completed: nullable(count('of them, completed; null: not counted that day')),
  checked: nullable(count('of them, checked in the index since; null: not counted that day')),
  found: nullable(count('of them, found at the last check; null: not counted that day')),
});

const RunsRecord = defineRecord('report_runs', 'What the runs of a watch found on a day.', {
  ...OF_WATCH,
  from,
  new: count('new URLs, without those of a first run'),
  gone: count('URLs no longer listed'),
  finished: count('runs that finished'),
  incomplete: count('runs that did not read every sitemap'),
});

const SpendRecord = defineRecord('report_spend', 'What an account was charged on a day for these watches.', {
  account,
  from,
  urls: count('URLs submitted'),
  submissions_micros: micros('charge of submissions'),
  checked_urls: count('URLs checked in the index'),
  checks_micros: micros('charge of index checks'),
  unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
  cap_micros: nullable(micros('cap of a day; null also where watches are left out')),
});

const TimesRecord = defineRecord('report_times', 'How long new URLs took from the sitemap to a stage.', {
  stage: oneOf(STAGES, 'what they reached'),
  from: nullable(instant('start of the day; null: the whole period')),
  urls: count('URLs measured'),
  median_ms: count('median'),
  nine_in_ten_ms: count('90th percentile'),
});

const ChecksRecord = defineRecord('report_index_checks', 'What index checks of a watch found on a day.', {
  ...OF_WATCH,
  from,
  urls: count('checks'),
  found: count('of them, found'),
});

const FailureRecord = defineRecord('report_failure', 'URLs that failed for a reason.', {
  reason: nullable(text("the service's words; null without, or for the other reasons")),
  other: count('1: all reasons without a record of their own; else 0'),
  urls: count('URLs'),
});

const WaitingRecord = defineRecord('report_waiting', 'A batch that waits; the oldest of each kind.', {
  kind: oneOf(['to_be_sent', 'in_doubt', 'needs_review', 'open_job'], 'what it waits for'),
  account,
  watch,
  batch: count('number of the batch'),
  reference: nullable(text('reference of the job')),
  urls: count('URLs in it'),
  waiting_since: instant('since when'),
  reason: nullable(text('why')),
});

const DueRecord = defineRecord('report_due', 'URLs of a watch that are due and not planned.', {
  ...OF_WATCH,
  urls: count('10,000 means that or more'),
  oldest_at: nullable(instant('start of the run that found it')),
  example: nullable(text('the oldest URL')),
});

const QuarantineRecord = defineRecord('report_quarantine', 'URLs of a watch in quarantine for a reason.', {
  ...OF_WATCH,
  urls: count('URLs'),
  reason: text('why'),
  example: text('one of the URLs'),
});

const SlowestRecord = defineRecord('report_slowest', 'One of the slowest jobs that were accepted in the period.', {
  batch: count('number of the batch'),
  watch,
  reference: nullable(text('reference of the job')),
  urls: count('URLs in it'),
  accepted_at: instant('when accepted'),
  took_ms: count('until it ended'),
});

type ReportRecord = Static<
  | typeof PeriodRecord
  | typeof CoverageRecord
  | typeof RunsRecord
  | typeof SpendRecord
  | typeof TimesRecord
  | typeof ChecksRecord
  | typeof FailureRecord
  | typeof WaitingRecord
  | typeof DueRecord
  | typeof QuarantineRecord
  | typeof SlowestRecord
>;

export function* listReportRecords(report: Report): Generator<ReportRecord> {
  yield {
    type: 'report_period',
    from: toInstant(report.since),
    to: toInstant(report.today),
    made_at: toInstant(report.madeAt),
    purchases_since: toInstantOrNull(report.purchasesSince),
    checks_since: toInstantOrNull(report.checksSince),
    check_details_since: toInstantOrNull(report.checkDetailsFrom),
  };
  for (const each of report.watches) {
    const of = { watch: each.watch, account: each.account };
    for (const { day, listed, bought, completed, checked, found } of toCoverage(each))
      yield { type: 'report_coverage', ...of, from: toInstant(day), listed, bought, completed, checked, found };
    for (const { day, new: added, gone, finished, incomplete } of each.runs)
      yield { type: 'report_runs', ...of, from: toInstant(day), new: added, gone, finished, incomplete };
    for (const { day, urls, found } of each.checks)
      yield { type: 'report_index_checks', ...of, from: toInstant(day), urls, found };
    const { urls, oldest, oldestUrl } = each.due;
    yield { type: 'report_due', ...of, urls, oldest_at: toInstantOrNull(oldest), example: oldestUrl };
    for (const { urls, reason, example } of each.quarantine)
      yield { type: 'report_quarantine', ...of, urls, reason: renderReason(reason), example };
  }
  for (const { account, days, perDay, waiting } of report.accounts) {
    for (const { day, urls, submissions, checkedUrls, checks, unknownChargeUrls } of days)
      yield {
        type: 'report_spend',
        account,
        from: toInstant(day),
        urls,
        submissions_micros: submissions,
        checked_urls: checkedUrls,
        checks_micros: checks,
        unknown_charge_urls: unknownChargeUrls,
        cap_micros: perDay,
      };
    for (const { kind, watch, batch, reference, urls, since, reason } of waiting)
      yield {
        type: 'report_waiting',
        kind,
        account,
        watch,
        batch,
        reference,
        urls,
        waiting_since: toInstant(since),
        reason: reason && renderReason(reason),
      };
  }
  for (const { stage, all, days } of report.stages) {
    if (all !== null)
      yield {
        type: 'report_times',
        stage,
        from: null,
        urls: all.urls,
        median_ms: all.median,
        nine_in_ten_ms: all.ninth,
      };
    for (const { day, urls, median, ninth } of days)
      yield { type: 'report_times', stage, from: toInstant(day), urls, median_ms: median, nine_in_ten_ms: ninth };
  }
  for (const { reason, urls } of report.failures) yield { type: 'report_failure', reason, other: 0, urls };
  if (report.otherFailures > 0) yield { type: 'report_failure', reason: null, other: 1, urls: report.otherFailures };
  for (const { batch, watch, reference, urls, acceptedAt, ms } of report.slowest)
    yield { type: 'report_slowest', batch, watch, reference, urls, accepted_at: toInstant(acceptedAt), took_ms: ms };
}

export const REPORT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  report: {
    records: [
      PeriodRecord,
      CoverageRecord,
      RunsRecord,
      SpendRecord,
      TimesRecord,
      ChecksRecord,
      FailureRecord,
      WaitingRecord,
      DueRecord,
      QuarantineRecord,
      SlowestRecord,
    ],
    summary: {
      file: nullable(text('file written')),
      watches: count('watches in the report'),
    },
  },
};
