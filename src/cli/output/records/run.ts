import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  group,
  micros,
  nullable,
  oneOf,
  optional,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import type { RunReport } from '../../../temporal-api/payloads.ts';
import type { CheckResult, WatchResult } from '../../../temporal-api/workflows.ts';
import { DELAYS, SAVED_FIELDS, toDelayFields, toSavedFields } from '../politeness.ts';
import { COUNT_FIELDS, RESULT_FIELDS, toCountFields, UNMATCHED_RULES } from './counts.ts';
import { PRICE_BASIS } from './plan.ts';

const DECISIONS = ['none', 'approved', 'rejected'] as const;

const RunRecord = defineRecord('run', 'A run of one watch that has ended.', {
  watch: text('name of the watch'),
  run: text('name of the run'),
  ...COUNT_FIELDS,
  first_run: flag('no run of the watch finished before'),
  sitemaps: count('sitemaps read'),
  ...SAVED_FIELDS,
  delays: DELAYS,
  problems: texts('the first ones'),
  unmatched_rules: UNMATCHED_RULES,
  decision: oneOf(DECISIONS, 'decision on a held run'),
  plan: nullable(
    group(
      {
        urls: count('URLs planned'),
        batches: count('batches planned'),
        cost_micros: nullable(micros('cost')),
        price_basis: oneOf(PRICE_BASIS, 'source of the price'),
        held_urls: count('due, not planned'),
        held_reason: nullable(text('the cap that holds them')),
      },
      'the plan; null: nothing to plan',
    ),
  ),
  result: nullable(
    group(
      {
        ...RESULT_FIELDS,
        charged_micros: micros('reported charge'),
        unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
      },
      'its result so far',
    ),
  ),
  notices: texts('what else you should know'),
});

export function toRunRecord(
  { watch, run }: { readonly watch: string; readonly run: string },
  { crawl, counts, plan, report, decision }: WatchResult,
  notices: readonly string[],
): Static<typeof RunRecord> {
  return {
    type: 'run',
    watch,
    run,
    ...toCountFields(counts),
    first_run: counts.firstRun,
    sitemaps: crawl.sitemaps,
    ...toSavedFields(crawl.saved),
    delays: (crawl.delays ?? []).map(toDelayFields),
    problems: [...crawl.problems],
    unmatched_rules: [...crawl.unmatchedRules],
    decision: decision === 'none needed' ? 'none' : decision,
    plan: plan && {
      urls: plan.urls,
      batches: plan.batches,
      cost_micros: plan.cost,
      price_basis: plan.basis,
      held_urls: plan.held,
      held_reason: plan.heldReason,
    },
    result: report && toResult(report),
    notices: [...notices],
  };
}

const toResult = (report: RunReport) => ({
  batches: report.batches,
  submitted: report.submitted,
  completed: report.completed,
  failed: report.failed,
  open: report.open,
  quarantined: report.quarantined,
  without_result: report.withoutResult,
  needs_review: report.stopped,
  charged_micros: report.charged,
  unknown_charge_urls: report.unknownChargeUrls,
});

const IndexCheckRecord = defineRecord('index_check', 'The index checks of one watch.', {
  watch: text('name of the watch'),
  checked: count('URLs checked in the index'),
  found: count('URLs found in the index'),
  charged_micros: micros('charge'),
  ended_early: nullable(text('why not all due were checked')),
});

export const toIndexCheckRecord = (
  watch: string,
  { checked, found, charged, stopped }: CheckResult,
): Static<typeof IndexCheckRecord> => ({
  type: 'index_check',
  watch,
  checked,
  found,
  charged_micros: charged,
  ended_early: stopped,
});

export const RUN_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  run: {
    records: [RunRecord],
    summary: {
      watches: count('watches run'),
      charged_micros: micros('reported charge'),
      rejected_keys: optional(texts('accounts of a rejected key; only with `--once`')),
    },
  },
  'index-check': { records: [IndexCheckRecord], summary: { watches: count('watches checked') } },
  approve: {
    records: [RunRecord],
    summary: { run: text('name of the run'), decision: oneOf(['approved', 'rejected'], 'the decision in force') },
  },
  reject: {
    records: [RunRecord],
    summary: { run: text('name of the run'), decision: oneOf(['approved', 'rejected'], 'the decision in force') },
  },
  worker: {
    records: [
      defineRecord('ready', 'The worker is connected and works from now on.', { watches: count('configured watches') }),
    ],
    summary: {},
  },
};

export const toReadyRecord = (watches: number) => ({ type: 'ready', watches });
