import type { Static } from 'typebox';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { Type } from '../../../json-schema/type.ts';
import type { Plan } from '../../../ledger/plans/read-plan.ts';
import type { PlannedUrl } from '../../../ledger/reports/planned-urls.ts';
import { renderReason } from '../../../submission/reason.ts';
import { formatVersion } from '../../../url/version.ts';
import type { AccountPlan, WatchPlan } from '../plan-text.ts';
import { COUNT_FIELDS, toCountFields, UNMATCHED_RULES } from './counts.ts';

export const PRICE_BASIS = ['learned', 'configured', 'unknown'] as const;
const BASIS = 'source of the price';

const PlanRecord = defineRecord('plan', 'What a run of one watch would buy now.', {
  watch: text('name of the watch'),
  run: text('the run that read the sitemaps'),
  ...COUNT_FIELDS,
  first_run: flag('no run of the watch finished before'),
  urls: count('URLs to buy'),
  batches: count('batches to send'),
  cost_micros: nullable(micros('cost')),
  price_per_url_micros: nullable(micros('price per URL')),
  price_basis: oneOf(PRICE_BASIS, BASIS),
  due: group(
    {
      new: count('never submitted'),
      changed: count('lastmod changed'),
      retry: count('failed before'),
      not_found: count('never found in the index'),
      released: count('released from quarantine or review'),
    },
    'URLs by reason',
  ),
  held_urls: count('due, not planned'),
  held_reason: nullable(text('the cap that holds them')),
  skipped_by_reason: list(
    Type.Object({
      reason: text('why'),
      urls: count('URLs'),
      sample: texts('a few URLs'),
    }),
    'by reason',
  ),
  unmatched_rules: UNMATCHED_RULES,
  guards: texts('why a guard would hold it'),
  notices: texts('what else you should know'),
});

export function toPlanRecord(watchPlan: WatchPlan, notices: readonly string[]): Static<typeof PlanRecord> {
  const { watch, run, crawl, diff, plan, guards, skipped } = watchPlan;
  return {
    type: 'plan',
    watch: watch.id,
    run,
    ...toCountFields(diff),
    first_run: diff.firstRun,
    urls: plan.urls,
    batches: plan.batches,
    cost_micros: plan.cost,
    price_per_url_micros: plan.perUrl,
    price_basis: plan.basis,
    due: {
      new: plan.due.new,
      changed: plan.due.changed,
      retry: plan.due.retry,
      not_found: plan.due['not-found'],
      released: plan.due.released,
    },
    held_urls: plan.held,
    held_reason: plan.heldReason,
    skipped_by_reason: skipped.map(({ reason, urls, sample }) => ({ reason, urls, sample: [...sample] })),
    unmatched_rules: [...crawl.unmatchedRules],
    guards: guards.map(renderReason),
    notices: [...notices],
  };
}

const PlannedUrlRecord = defineRecord('planned_url', 'A URL of a plan; only with `--urls`.', {
  watch: text('name of the watch'),
  url: text('the URL, normalized'),
  due: oneOf(['new', 'changed', 'retry', 'not_found', 'released'], 'reason to buy'),
  generation: count('1 for the first purchase'),
  lastmod: nullable(text('in UTC')),
  held_reason: nullable(text('the cap that holds them')),
});

export const toPlannedUrlRecord = (watch: string, planned: PlannedUrl): Static<typeof PlannedUrlRecord> => ({
  type: 'planned_url',
  watch,
  url: planned.url,
  due: planned.due === 'not-found' ? 'not_found' : planned.due,
  generation: planned.generation,
  lastmod: planned.version === null ? null : formatVersion(planned.version),
  held_reason: planned.heldReason,
});

const AccountPlanRecord = defineRecord('account_plan', 'What the plans of an account need, all together.', {
  account: text('name of the account'),
  urls: count('URLs to buy'),
  batches: count('batches to send'),
  cost_micros: nullable(micros('cost; null: the price of a part is unknown')),
  balance_micros: nullable(micros('last reported balance')),
  balance_at: nullable(instant('when reported')),
  balance_after_micros: nullable(micros('balance less cost')),
  shortfall_micros: nullable(micros('what the balance is short of; 0 when it suffices')),
  requests_needed: count('to submit; polling takes more'),
  requests_left: group(
    {
      minute: count('this minute'),
      hour: count('this hour'),
      day: count('today'),
      submissions: count('submissions this minute'),
    },
    'requests left',
  ),
  submit_seconds: count('least time to send, by the limit of submissions'),
  notices: texts('what else you should know'),
});

export function toAccountPlanRecord(plan: AccountPlan, notices: readonly string[]): Static<typeof AccountPlanRecord> {
  const { minute, hour, day, submissions } = plan.requestsLeft;
  return {
    type: 'account_plan',
    account: plan.account,
    urls: plan.urls,
    batches: plan.batches,
    cost_micros: plan.cost,
    balance_micros: plan.balance,
    balance_at: toInstantOrNull(plan.balanceAt),
    balance_after_micros: plan.balanceAfter,
    shortfall_micros: plan.shortfall,
    requests_needed: plan.requestsNeeded,
    requests_left: { minute, hour, day, submissions },
    submit_seconds: plan.minutes * 60,
    notices: [...notices],
  };
}

const AppliedRecord = defineRecord('applied', 'A plan of one watch that was applied.', {
  watch: text('name of the watch'),
  run: text('name of the run'),
  urls: count('URLs planned'),
  batches: count('batches planned'),
  cost_micros: nullable(micros('cost')),
});

export const toAppliedRecord = (
  { watch, run }: { watch: string; run: string },
  { urls, batches, cost }: Pick<Plan, 'urls' | 'batches' | 'cost'>,
): Static<typeof AppliedRecord> => ({ type: 'applied', watch, run, urls, batches, cost_micros: cost });

export const PLAN_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  plan: {
    records: [PlanRecord, PlannedUrlRecord, AccountPlanRecord],
    summary: {
      urls: count('URLs to buy'),
      plan_file: nullable(text('where `-o` kept the plan')),
    },
  },
  apply: { records: [AppliedRecord], summary: { urls: count('URLs planned') } },
};
