import type { Micros } from '../../../../contract/money.ts';
import type { OutputRecord } from '../../../cli-kit/output.ts';
import { type CommandOutput, count, instant, micros, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { named, recordOf } from '../../../cli-kit/record-table.ts';
import type { RunDay } from '../../../ledger/reports/run-days.ts';
import type { DueUrls, QuarantinedUrls, WaitingBatch } from '../../../ledger/reports/waiting.ts';
import { type CoverageDay, toCoverage } from '../../../report/figures/coverage.ts';
import type { Spread } from '../../../report/percentile.ts';
import {
  type CheckShare,
  type Failure,
  type Report,
  type SlowJob,
  type SpendDay,
  STAGES,
  type Stage,
} from '../../../report/report.ts';
import { renderReason } from '../../../submission/reason.ts';

const watch = text('name of the watch');
const account = text('name of the account');
/** What nearly every figure is of. */
const OF_WATCH = { watch, account };
interface OfWatch {
  readonly watch: string;
  readonly account: string;
}

/** A field with the start of the day of a figure. */
const from = [instant('start of the day'), ({ day }: { readonly day: number }) => day] as const;

const toPeriodRecord = recordOf<Report>()({
  type: named('report_period', 'What the report covers, and since when its figures are whole.'),
  from: [instant('start of the first day'), ({ since }) => since],
  to: [instant('start of today'), ({ today }) => today],
  made_at: instant('when'),
  purchases_since: nullable(instant('times and failures begin here; null: with the period')),
  checks_since: nullable(instant('index checks begin here; null: with the period')),
  check_details_since: [
    nullable(instant('details of earlier checks were removed')),
    ({ checkDetailsFrom }) => checkDetailsFrom,
  ],
});

const toCoverageRecord = recordOf<CoverageDay & OfWatch>()({
  type: named('report_coverage', 'How far the listed URLs of a watch were on a day.'),
  ...OF_WATCH,
  from,
  listed: nullable(count('URLs in the sitemaps')),
  bought: nullable(count('of them, accepted at least once; null: not counted that day')),
  completed: nullable(count('of them, completed; null: not counted that day')),
  checked: nullable(count('of them, checked in the index since; null: not counted that day')),
  found: nullable(count('of them, found at the last check; null: not counted that day')),
});

const toRunsRecord = recordOf<RunDay & OfWatch>()({
  type: named('report_runs', 'What the runs of a watch found on a day.'),
  ...OF_WATCH,
  from,
  new: count('new URLs, without those of a first run'),
  gone: count('URLs no longer listed'),
  finished: count('runs that finished'),
  incomplete: count('runs that did not read every sitemap'),
});

interface SpendOfDay extends SpendDay {
  readonly account: string;
  readonly perDay: Micros | null;
}

const toSpendRecord = recordOf<SpendOfDay>()({
  type: named('report_spend', 'What an account was charged on a day for these watches.'),
  account,
  from,
  urls: count('URLs submitted'),
  submissions_micros: micros('charge of submissions'),
  checked_urls: count('URLs checked in the index'),
  checks_micros: micros('charge of index checks'),
  unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
  cap_micros: [nullable(micros('cap of a day; null also where watches are left out')), ({ perDay }) => perDay],
});

interface SpreadOfStage extends Spread {
  readonly stage: Stage;
  readonly day: number | null;
}

const toTimesRecord = recordOf<SpreadOfStage>()({
  type: named('report_times', 'How long new URLs took from the sitemap to a stage.'),
  stage: oneOf(STAGES, 'what they reached'),
  from: [nullable(instant('start of the day; null: the whole period')), ({ day }) => day],
  urls: count('URLs measured'),
  median_ms: [count('median'), ({ median }) => median],
  nine_in_ten_ms: [count('90th percentile'), ({ ninth }) => ninth],
});

const toChecksRecord = recordOf<CheckShare & OfWatch>()({
  type: named('report_index_checks', 'What index checks of a watch found on a day.'),
  ...OF_WATCH,
  from,
  urls: count('checks'),
  found: count('of them, found'),
});

const toFailureRecord = recordOf<Failure & { readonly other: 0 | 1 }>()({
  type: named('report_failure', 'URLs that failed for a reason.'),
  reason: nullable(text("the service's words; null without, or for the other reasons")),
  other: count('1: all reasons without a record of their own; else 0'),
  urls: count('URLs'),
});

const toWaitingRecord = recordOf<WaitingBatch & { readonly account: string }>()({
  type: named('report_waiting', 'A batch that waits; the oldest of each kind.'),
  kind: oneOf(['to_be_sent', 'in_doubt', 'needs_review', 'open_job'], 'what it waits for'),
  account,
  watch,
  batch: count('number of the batch'),
  reference: nullable(text('reference of the job')),
  urls: count('URLs in it'),
  waiting_since: [instant('since when'), ({ since }) => since],
  reason: [nullable(text('why')), ({ reason }) => reason && renderReason(reason)],
});

const toDueRecord = recordOf<DueUrls & OfWatch>()({
  type: named('report_due', 'URLs of a watch that are due and not planned.'),
  ...OF_WATCH,
  urls: count('10,000 means that or more'),
  oldest_at: [nullable(instant('start of the run that found it')), ({ oldest }) => oldest],
  example: [nullable(text('the oldest URL')), ({ oldestUrl }) => oldestUrl],
});

const toQuarantineRecord = recordOf<QuarantinedUrls & OfWatch>()({
  type: named('report_quarantine', 'URLs of a watch in quarantine for a reason.'),
  ...OF_WATCH,
  urls: count('URLs'),
  reason: [text('why'), ({ reason }) => renderReason(reason)],
  example: text('one of the URLs'),
});

const toSlowestRecord = recordOf<SlowJob>()({
  type: named('report_slowest', 'One of the slowest jobs that were accepted in the period.'),
  batch: count('number of the batch'),
  watch,
  reference: nullable(text('reference of the job')),
  urls: count('URLs in it'),
  accepted_at: instant('when accepted'),
  took_ms: [count('until it ended'), ({ ms }) => ms],
});

export function* listReportRecords(report: Report): Generator<OutputRecord> {
  yield toPeriodRecord(report);
  for (const each of report.watches) {
    const of = { watch: each.watch, account: each.account };
    for (const day of toCoverage(each)) yield toCoverageRecord({ ...of, ...day });
    for (const day of each.runs) yield toRunsRecord({ ...of, ...day });
    for (const day of each.checks) yield toChecksRecord({ ...of, ...day });
    yield toDueRecord({ ...of, ...each.due });
    for (const urls of each.quarantine) yield toQuarantineRecord({ ...of, ...urls });
  }
  for (const { account, days, perDay, waiting } of report.accounts) {
    for (const day of days) yield toSpendRecord({ account, perDay, ...day });
    for (const batch of waiting) yield toWaitingRecord({ account, ...batch });
  }
  for (const { stage, all, days } of report.stages) {
    if (all !== null) yield toTimesRecord({ stage, day: null, ...all });
    for (const day of days) yield toTimesRecord({ stage, ...day });
  }
  for (const failure of report.failures) yield toFailureRecord({ ...failure, other: 0 });
  if (report.otherFailures > 0) yield toFailureRecord({ reason: null, urls: report.otherFailures, other: 1 });
  for (const job of report.slowest) yield toSlowestRecord(job);
}

export const REPORT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  report: {
    records: [
      toPeriodRecord.schema,
      toCoverageRecord.schema,
      toRunsRecord.schema,
      toSpendRecord.schema,
      toTimesRecord.schema,
      toChecksRecord.schema,
      toFailureRecord.schema,
      toWaitingRecord.schema,
      toDueRecord.schema,
      toQuarantineRecord.schema,
      toSlowestRecord.schema,
    ],
    summary: {
      file: nullable(text('file written')),
      watches: count('watches in the report'),
    },
  },
};
