import { SERVICE_LEVELS } from '../../../../contract/states.ts';
import {
  type CommandOutput,
  count,
  flag,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import type { AccountForecast, RunForecast } from '../../../connector/forecast.ts';
import { Type } from '../../../json-schema/type.ts';
import type { DueCounts } from '../../../ledger/pages/due.ts';
import type { PlannedUrl } from '../../../ledger/reports/planned-urls.ts';
import type { PriceEffect } from '../../../submission/new-price.ts';
import { renderReason } from '../../../submission/reason.ts';
import { formatVersion } from '../../../url/version.ts';
import type { AccountPlan, WatchPlan } from '../plan-text.ts';
import { COUNTS, UNMATCHED_RULES } from './counts.ts';

export const PRICE_BASIS = ['learned', 'configured', 'unknown'] as const;

interface Noticed {
  readonly notices: readonly string[];
}
type ShownPlan = WatchPlan & Noticed;

const dueCounts = fieldsOf<DueCounts>()({
  new: count('never submitted'),
  changed: count('lastmod changed'),
  retry: count('failed before'),
  not_found: [count('never found in the index'), (due) => due['not-found']],
  released: count('released from quarantine or review'),
});

export const toPlanRecord = recordOf<ShownPlan>()({
  type: named('plan', 'What a run of one watch would buy now.'),
  watch: [text('name of the watch'), ({ watch }) => watch.id],
  run: text('the run that read the sitemaps'),
  ...embed(COUNTS, ({ diff }: ShownPlan) => diff),
  first_run: [flag('no run of the watch finished before'), ({ diff }) => diff.firstRun],
  urls: [count('URLs to buy'), ({ plan }) => plan.urls],
  batches: [count('batches to send'), ({ plan }) => plan.batches],
  cost_micros: [nullable(micros('cost')), ({ plan }) => plan.cost],
  price_per_url_micros: [nullable(micros('price per URL')), ({ plan }) => plan.perUrl],
  price_basis: [oneOf(PRICE_BASIS, 'source of the price'), ({ plan }) => plan.basis],
  due: [group(dueCounts.schemas, 'URLs by reason'), ({ plan }) => dueCounts.read(plan.due)],
  held_urls: [count('due, not planned'), ({ plan }) => plan.held],
  held_reason: [nullable(text('the cap that holds them')), ({ plan }) => plan.heldReason],
  skipped_by_reason: [
    list(
      Type.Object({
        reason: text('why'),
        urls: count('URLs'),
        sample: texts('a few URLs'),
      }),
      'by reason',
    ),
    ({ skipped }) => skipped.map(({ reason, urls, sample }) => ({ reason, urls, sample: [...sample] })),
  ],
  unmatched_rules: [UNMATCHED_RULES, ({ crawl }) => crawl.unmatchedRules],
  guards: [texts('why a guard would hold it'), ({ guards }) => guards.map(renderReason)],
  notices: texts('what else you should know'),
});

export const toPlannedUrlRecord = recordOf<PlannedUrl & { readonly watch: string }>()({
  type: named('planned_url', 'A URL of a plan; only with `--urls`.'),
  watch: text('name of the watch'),
  url: text('the URL, normalized'),
  due: [
    oneOf(['new', 'changed', 'retry', 'not_found', 'released'], 'reason to buy'),
    ({ due }) => (due === 'not-found' ? 'not_found' : due),
  ],
  generation: count('1 for the first purchase'),
  lastmod: [nullable(text('in UTC')), ({ version }) => version && formatVersion(version)],
  held_reason: nullable(text('the cap that holds them')),
});

export const toAccountPlanRecord = recordOf<AccountPlan & Noticed>()({
  type: named('account_plan', 'What the plans of an account need, all together.'),
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
  submit_seconds: [count('least time to send, by the limit of submissions'), ({ minutes }) => minutes * 60],
  notices: texts('what else you should know'),
});

export const toAppliedRecord = plainRecord({
  type: named('applied', 'A plan of one watch that was applied.'),
  watch: text('name of the watch'),
  run: text('name of the run'),
  urls: count('URLs planned'),
  batches: count('batches planned'),
  cost_micros: nullable(micros('cost')),
});

const NO_RUN = ['paused', 'no_schedule', 'later'] as const;

export const toRunForecastRecord = recordOf<RunForecast>()({
  type: named('run_forecast', 'The next run of a watch, with an estimate from the ledger.'),
  watch: text('name of the watch'),
  account: text('name of the account'),
  run_at: [nullable(instant('null when not within a day')), ({ at }) => at],
  timezone: [text('the zone of its schedule'), ({ zone }) => zone],
  no_run: nullable(oneOf(NO_RUN, 'why it does not run within a day')),
  runs: count('how often it runs within a day'),
  due: count('URLs due already'),
  usually_found: [nullable(count('median of its last runs: new, and changed where resubmitted')), ({ usual }) => usual],
  urls: count('both together'),
  cost_micros: nullable(micros('cost')),
  allowed_urls: [count('of them within caps and balance'), ({ allowed }) => allowed],
  limit: nullable(text('what limits them')),
  held_run: [nullable(text('run that waits for your decision or for money')), ({ held }) => held],
  held_remedy: [nullable(text('what ends it without a decision')), ({ remedy }) => remedy],
  index_checks: [count('due by then'), ({ checks }) => checks],
  index_checks_cost_micros: [micros('their cost, within the cap of index_check'), ({ checksCost }) => checksCost],
});

const newPrice = fieldsOf<PriceEffect>()({
  service: oneOf(SERVICE_LEVELS, 'service level'),
  per_url_micros: [micros('price now'), ({ after }) => after],
  before_micros: micros('price before'),
  changed_at: [instant('when it changed'), ({ since }) => since],
  configured_micros: nullable(micros('price_per_url')),
  urls: count('URLs of these runs'),
  cost_micros: micros('cost'),
  cost_before_micros: micros('cost at the price before'),
});

export const toAccountForecastRecord = recordOf<AccountForecast>()({
  type: named('account_forecast', 'What the next runs of an account need together.'),
  account: text('name of the account'),
  urls: count('URLs of its next runs'),
  cost_micros: nullable(micros('cost with the index checks')),
  balance_micros: nullable(micros('last reported balance')),
  balance_at: nullable(instant('when reported')),
  balance_after_micros: nullable(micros('balance less charged since, committed and this cost')),
  charged_since_balance_micros: [micros('charged since the balance was read'), ({ chargedSince }) => chargedSince],
  committed_micros: micros('what may still be charged: planned, in flight or in doubt, index checks included'),
  new_prices: [
    list(group(newPrice.schemas, 'a price that has changed'), 'changed within seven days, not configured'),
    ({ newPrices }) => newPrices.map(newPrice.read),
  ],
});

export const PLAN_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  plan: {
    records: [toPlanRecord.schema, toPlannedUrlRecord.schema, toAccountPlanRecord.schema],
    summary: {
      urls: count('URLs to buy'),
      plan_file: nullable(text('where `-o` kept the plan')),
    },
  },
  apply: { records: [toAppliedRecord.schema], summary: { urls: count('URLs planned') } },
  tonight: {
    records: [toRunForecastRecord.schema, toAccountForecastRecord.schema],
    summary: { runs: count('runs within a day') },
  },
};
