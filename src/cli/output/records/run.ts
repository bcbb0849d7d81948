import {
  type CommandOutput,
  count,
  flag,
  group,
  instant,
  micros,
  nullable,
  oneOf,
  optional,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { IndexState } from '../../../ledger/reports/index-states.ts';
import type { RunReport } from '../../../temporal-api/payloads.ts';
import type { CheckResult, WatchResult } from '../../../temporal-api/workflows.ts';
import { DELAY, DELAYS, SAVED } from '../politeness.ts';
import { COUNTS, RESULTS, UNMATCHED_RULES } from './counts.ts';
import { PRICE_BASIS } from './plan.ts';
import { CHECK_RESULTS } from './url-history.ts';

const DECISIONS = ['none', 'approved', 'rejected'] as const;

interface EndedRun extends WatchResult {
  readonly watch: string;
  readonly run: string;
  readonly notices: readonly string[];
}

const planFields = fieldsOf<NonNullable<WatchResult['plan']>>()({
  urls: count('URLs planned'),
  batches: count('batches planned'),
  cost_micros: nullable(micros('cost')),
  price_basis: [oneOf(PRICE_BASIS, 'source of the price'), ({ basis }) => basis],
  held_urls: [count('due, not planned'), ({ held }) => held],
  held_reason: nullable(text('the cap that holds them')),
});

const result = fieldsOf<RunReport>()({
  ...embed(RESULTS, (report: RunReport) => ({ ...report, needsReview: report.stopped })),
  charged_micros: micros('reported charge'),
  unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
});

export const toRunRecord = recordOf<EndedRun>()({
  type: named('run', 'A run of one watch that has ended.'),
  watch: text('name of the watch'),
  run: text('name of the run'),
  ...embed(COUNTS, ({ counts }: EndedRun) => counts),
  first_run: [flag('no run of the watch finished before'), ({ counts }) => counts.firstRun],
  sitemaps: [count('sitemaps read'), ({ crawl }) => crawl.sitemaps],
  ...embed(SAVED, ({ crawl }: EndedRun) => crawl.saved),
  delays: [DELAYS, ({ crawl }) => (crawl.delays ?? []).map(DELAY.read)],
  problems: [texts('the first ones'), ({ crawl }) => crawl.problems],
  unmatched_rules: [UNMATCHED_RULES, ({ crawl }) => crawl.unmatchedRules],
  decision: [
    oneOf(DECISIONS, 'decision on a held run'),
    ({ decision }) => (decision === 'none needed' ? 'none' : decision),
  ],
  plan: [
    nullable(group(planFields.schemas, 'the plan; null: nothing to plan')),
    ({ plan }) => plan && planFields.read(plan),
  ],
  result: [nullable(group(result.schemas, 'its result so far')), ({ report }) => report && result.read(report)],
  notices: texts('what else you should know'),
});

export const toIndexCheckRecord = recordOf<CheckResult & { readonly watch: string }>()({
  type: named('index_check', 'The index checks of one watch.'),
  watch: text('name of the watch'),
  checked: count('URLs checked in the index'),
  found: count('URLs found in the index'),
  charged_micros: micros('charge'),
  ended_early: [nullable(text('why not all due were checked')), ({ stopped }) => stopped],
});

export const toReadyRecord = plainRecord({
  type: named('ready', 'The worker is connected and works from now on.'),
  watches: count('configured watches'),
});

const DECIDE: CommandOutput = {
  records: [toRunRecord.schema],
  summary: { run: text('name of the run'), decision: oneOf(['approved', 'rejected'], 'the decision in force') },
};

export const toIndexStateRecord = recordOf<IndexState>()({
  type: named('index_state', 'What the last index check of a URL said.'),
  watch: text('name of the watch'),
  url: text('the URL, normalized'),
  result: [
    nullable(oneOf(CHECK_RESULTS, 'index check')),
    ({ result }) => (result === 'not-found' ? 'not_found' : result),
  ],
  checked_at: nullable(instant('last check')),
  completed_at: instant('when completed'),
  checks: count('checks since'),
  misses: count('last checks in a row that did not find it'),
  next_check_at: nullable(instant('next check')),
  gone: flag('in no sitemap any more'),
});

export const RUN_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  run: {
    records: [toRunRecord.schema],
    summary: {
      watches: count('watches run'),
      charged_micros: micros('reported charge'),
      rejected_keys: optional(texts('accounts of a rejected key; only with `--once`')),
    },
  },
  'index-check': { records: [toIndexCheckRecord.schema], summary: { watches: count('watches checked') } },
  approve: DECIDE,
  reject: DECIDE,
  worker: { records: [toReadyRecord.schema], summary: {} },
  'index-checks list': { records: [toIndexStateRecord.schema], summary: { urls: count('URLs listed') } },
};
