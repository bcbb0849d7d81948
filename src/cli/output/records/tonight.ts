import type { Static } from 'typebox';
import { SERVICE_LEVELS } from '../../../../contract/states.ts';
import {
  type CommandOutput,
  count,
  defineRecord,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import type { AccountForecast, RunForecast } from '../../../connector/forecast.ts';

const NO_RUN = ['paused', 'no_schedule', 'later'] as const;

const RunForecastRecord = defineRecord('run_forecast', 'The next run of a watch, with an estimate from the ledger.', {
  watch: text('name of the watch'),
  account: text('name of its account'),
  run_at: nullable(instant('when it runs; null when not within a day')),
  timezone: text('the zone of its schedule'),
  no_run: nullable(oneOf(NO_RUN, 'why it does not run within a day; null when it does')),
  runs: count('how often it runs within a day'),
  due: count('URLs that are due already'),
  usually_found: nullable(
    count('median of what its last runs found new, or changed where that is resubmitted; null when not known yet'),
  ),
  urls: count('URLs that the run may want to buy: both together'),
  cost_micros: nullable(micros('their cost in micro-lira; null when no price is known')),
  allowed_urls: count('how many of them the caps and the balance leave room for'),
  limit: nullable(text('what limits them; null when nothing does')),
  held_run: nullable(text('a run that waits for a decision, before which no other starts; null without one')),
  held_remedy: nullable(text('what ends its wait without a decision; null where only a decision does')),
  index_checks: count('index checks that are due by then, those in the sample'),
  index_checks_cost_micros: micros('their cost in micro-lira, within the cap of index_check'),
});

export const toRunForecastRecord = (run: RunForecast): Static<typeof RunForecastRecord> => ({
  type: 'run_forecast',
  watch: run.watch,
  account: run.account,
  run_at: toInstantOrNull(run.at),
  timezone: run.zone,
  no_run: run.noRun,
  runs: run.runs,
  due: run.due,
  usually_found: run.usual,
  urls: run.urls,
  cost_micros: run.cost,
  allowed_urls: run.allowed,
  limit: run.limit,
  held_run: run.held,
  held_remedy: run.remedy,
  index_checks: run.checks,
  index_checks_cost_micros: run.checksCost,
});

const AccountForecastRecord = defineRecord('account_forecast', 'What the next runs of an account need together.', {
  account: text('name of the account'),
  urls: count('URLs that its next runs may buy'),
  cost_micros: nullable(micros('their cost with the index checks in micro-lira; null when a price is not known')),
  balance_micros: nullable(micros('last known balance in micro-lira; null when the service has not reported one')),
  balance_at: nullable(instant('when the balance was reported; null without one')),
  balance_after_micros: nullable(
    micros('balance less what was charged since, what is committed and this cost; null when one of them is unknown'),
  ),
  charged_since_balance_micros: micros('charged since the balance was read, in micro-lira'),
  committed_micros: micros('what may still be charged, in micro-lira'),
  new_prices: list(
    group(
      {
        service: oneOf(SERVICE_LEVELS, 'service level'),
        per_url_micros: micros('what a URL costs now'),
        before_micros: micros('what it cost before'),
        changed_at: instant('when it changed'),
        configured_micros: nullable(micros('price_per_url; null when it is not set')),
        urls: count('URLs of these runs at this service level'),
        cost_micros: micros('their cost'),
        cost_before_micros: micros('their cost at the price of before'),
      },
      'a price that has changed',
    ),
    'prices that have changed within seven days and are not configured',
  ),
});

export const toAccountForecastRecord = (forecast: AccountForecast): Static<typeof AccountForecastRecord> => ({
  type: 'account_forecast',
  account: forecast.account,
  urls: forecast.urls,
  cost_micros: forecast.cost,
  balance_micros: forecast.balance,
  balance_at: toInstantOrNull(forecast.balanceAt),
  balance_after_micros: forecast.balanceAfter,
  charged_since_balance_micros: forecast.chargedSince,
  committed_micros: forecast.committed,
  new_prices: forecast.newPrices.map((price) => ({
    service: price.service,
    per_url_micros: price.after,
    before_micros: price.before,
    changed_at: toInstant(price.since),
    configured_micros: price.configured,
    urls: price.urls,
    cost_micros: price.cost,
    cost_before_micros: price.costBefore,
  })),
});

export const TONIGHT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  tonight: {
    records: [RunForecastRecord, AccountForecastRecord],
    summary: { runs: count('watches that run within a day') },
  },
};
