import { formatTry, micros } from '../../../contract/money.ts';
import type { Config } from '../../../src/config/config.ts';
import { readConfig } from '../../../src/config/load.ts';
import { SERVICE } from './programs.ts';
import { SITE } from './site.ts';

/** How often a failed URL is bought again. */
export const RETRIES = 1;

/** What an operator writes into the configuration; money in micro-lira. */
export interface OperatorSettings {
  /** price_per_url; null: it is learned. */
  readonly price: number | null;
  /** The cap of a day; null: none. */
  readonly perDay: number | null;
  readonly floor: number;
  /** Watches, and the sitemap of each. */
  readonly watches: ReadonlyMap<string, string>;
}

const configs = new Map<string, Config>();

/** Programs start often, and few configurations differ. */
function readOnce(text: string): Config {
  const name = `${process.env.SIMULATED_KEY} ${text}`;
  const config = configs.get(name) ?? readConfig(text, '/courier.yaml');
  if (configs.size >= 100) configs.clear();
  configs.set(name, config);
  return config;
}

/** Settings of a watch, by the names of the configuration file. */
export type WatchSettings = Readonly<Record<string, unknown>>;

/** The configuration file that says so. `more` are further settings of each watch. */
export function toConfig({ price, perDay, floor, watches }: OperatorSettings, more: WatchSettings): Config {
  const watch = (sitemap: string) => ({
    account: 'main',
    project: `Project ${sitemap}`,
    service: 'fast',
    first_run: 'submit',
    sitemaps: [`${SITE}/${sitemap}.xml`],
    hosts: [new URL(SITE).host],
    retry_failed: { times: RETRIES, after: '5m' },
    resubmit: { on_lastmod_change: true },
    guard: { max_gone_percent: 30 },
    index_check: { after: '0s', every: '365d', sample: '10%' },
    ...more,
  });
  const spend = {
    ...(perDay === null ? {} : { per_day: formatTry(micros(perDay)) }),
    ...(floor === 0 ? {} : { balance_floor: formatTry(micros(floor)) }),
  };
  const text = JSON.stringify({
    version: 1,
    accounts: {
      main: {
        reconcile: { confirm_after: '5m' },
        base_url: `${SERVICE}/api/v1`,
        api_key: { env: 'SIMULATED_KEY' },
        ...(price === null ? {} : { price_per_url: formatTry(micros(price)) }),
        ...(Object.keys(spend).length === 0 ? {} : { spend }),
      },
    },
    watches: Object.fromEntries([...watches].map(([name, sitemap]) => [name, watch(sitemap)])),
  });
  return readOnce(text);
}
