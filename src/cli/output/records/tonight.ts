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
  account: text('name of the account'),
  run_at: nullable(instant('null when not within a day')),
  timezone: text('the zone of its schedule'),
  no_run: nullable(oneOf(NO_RUN, 'why it does not run within a day')),
  runs: count('how often it runs within a day'),
  due: count('URLs due already'),
  usually_found: nullable(count('median of its last runs: new, and changed where resubmitted')),
  urls: count('both together'),
  cost_micros: nullable(micros('cost')),
  allowed_urls: count('of them within caps and balance'),
  limit: nullable(text('what limits them')),
  held_run: nullable(text('run that waits for your decision or for money')),
  held_remedy: nullable(text('what ends it without a decision')),
  index_checks: count('due by then'),
  index_checks_cost_micros: micros('their cost, within the cap of index_check'),
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
  urls: count('URLs of its next runs'),
  cost_micros: nullable(micros('cost with the index checks')),
  balance_micros: nullable(micros('last reported balance')),
  balance_at: nullable(instant('when reported')),
  balance_after_micros: nullable(micros('balance less charged since, committed and this cost')),
  charged_since_balance_micros: micros('charged since the balance was read'),
  committed_micros: micros('what may still be charged: planned, in flight or in doubt, index checks included'),
  new_prices: list(
    group(
      {
        service: oneOf(SERVICE_LEVELS, 'service level'),
        per_url_micros: micros('price now'),
        before_micros: micros('price before'),
        changed_at: instant('when it changed'),
        configured_micros: nullable(micros('price_per_url')),
        urls: count('URLs of these runs'),
        cost_micros: micros('cost'),
        cost_before_micros: micros('cost at the price before'),
      },
      'a price that has changed',
    ),
    'changed within seven days, not configured',
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
    summary: { runs: count('runs within a day') },
  },
};
