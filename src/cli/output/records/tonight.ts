import { SERVICE_LEVELS } from '../../../../contract/states.ts';
import {
  type CommandOutput,
  count,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
} from '../../../cli-kit/record-schema.ts';
import { fieldsOf, recordOf } from '../../../cli-kit/record-table.ts';
import type { AccountForecast, RunForecast } from '../../../connector/forecast.ts';
import type { PriceEffect } from '../../../submission/new-price.ts';

const NO_RUN = ['paused', 'no_schedule', 'later'] as const;

export const toRunForecastRecord = recordOf<RunForecast>()(
  'run_forecast',
  'The next run of a watch, with an estimate from the ledger.',
  {
    watch: text('name of the watch'),
    account: text('name of the account'),
    run_at: [nullable(instant('null when not within a day')), ({ at }) => at],
    timezone: [text('the zone of its schedule'), ({ zone }) => zone],
    no_run: nullable(oneOf(NO_RUN, 'why it does not run within a day')),
    runs: count('how often it runs within a day'),
    due: count('URLs due already'),
    usually_found: [
      nullable(count('median of its last runs: new, and changed where resubmitted')),
      ({ usual }) => usual,
    ],
    urls: count('both together'),
    cost_micros: nullable(micros('cost')),
    allowed_urls: [count('of them within caps and balance'), ({ allowed }) => allowed],
    limit: nullable(text('what limits them')),
    held_run: [nullable(text('run that waits for your decision or for money')), ({ held }) => held],
    held_remedy: [nullable(text('what ends it without a decision')), ({ remedy }) => remedy],
    index_checks: [count('due by then'), ({ checks }) => checks],
    index_checks_cost_micros: [micros('their cost, within the cap of index_check'), ({ checksCost }) => checksCost],
  },
);

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

export const toAccountForecastRecord = recordOf<AccountForecast>()(
  'account_forecast',
  'What the next runs of an account need together.',
  {
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
  },
);

export const TONIGHT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  tonight: {
    records: [toRunForecastRecord.schema, toAccountForecastRecord.schema],
    summary: { runs: count('runs within a day') },
  },
};
