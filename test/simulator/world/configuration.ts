import { formatTry, micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Config } from '../../../src/config/config.ts';
import { readConfig } from '../../../src/config/load.ts';
import { ACCOUNT_NAMES, type AccountName, KEY_VARIABLES, NEXT_KEY_VARIABLES } from './account-names.ts';
import { type AccountPlaces, SERVICE } from './addresses.ts';
import { getLevelPrice, type Price } from './levels.ts';
import type { Caps } from './oracle/caps-rule.ts';
import type { CheckPolicy } from './oracle/check-rule.ts';
import type { GuardPolicy } from './oracle/guard-rule.ts';
import { SITE } from './site.ts';

/** How often a failed URL is bought again. */
export const RETRIES = 1;
export const RETRY_AFTER_MS = 300_000;

/** When index-checks are made. */
export const CHECKS: CheckPolicy = {
  ...{ afterMs: 0, everyMs: 365 * 86_400_000, stopWhenFound: true, sample: 0.1, perDay: null },
};

/** What holds a run: the rest is as the configuration reference says. */
export const GUARD: GuardPolicy = {
  ...{ maxNew: null, maxNewPercent: null, maxGonePercent: 30, maxChanged: 1_000, maxChangedPercent: 50 },
};

/** What all watches of a world do. */
export interface WatchPolicy {
  readonly checks: CheckPolicy;
  readonly firstRun: 'submit' | 'baseline';
  /** resubmit.not_within */
  readonly notWithinMs: number;
  /** resubmit.on_lastmod_change */
  readonly buysChanges: boolean;
  /** index_check.resubmit_after; null: never. */
  readonly resubmitAfter: number | null;
  readonly guard: GuardPolicy;
}

export const USUAL_POLICY: WatchPolicy = {
  ...{ checks: CHECKS, firstRun: 'submit', notWithinMs: 0, buysChanges: true, resubmitAfter: null, guard: GUARD },
};

/** What an operator writes into the configuration; money in micro-lira. */
export interface OperatorSettings {
  /** price_per_url; null: it is learned. */
  readonly price: Price | null;
  /** The level of each watch, by sitemap; absent: fast. */
  readonly levels: ReadonlyMap<string, ServiceLevel>;
  readonly caps: Caps;
  readonly floor: number;
  /** Watches, and the sitemap of each. */
  readonly watches: ReadonlyMap<string, string>;
  /** The sitemaps whose watches belong to the second account; null: there is one account. */
  readonly secondAccount: ReadonlySet<string> | null;
  /** By sitemap; a watch of another one runs by command alone. */
  readonly schedules: Schedules;
  /** See Scenario. */
  readonly pollsSeldom: boolean;
  /** Where each account is, and which key it has. */
  readonly places: AccountPlaces;
  /** Further settings of each account, by the names of the configuration file. */
  readonly accountSettings: Readonly<Record<string, unknown>>;
  /** Accounts that the configuration does not name now: they have no watch. */
  readonly missingAccounts: ReadonlySet<AccountName>;
  /** Sitemaps have two files. */
  readonly hasTwoFiles: boolean;
  readonly policy: WatchPolicy;
}

export type Schedules = ReadonlyMap<string, { readonly cron: string; readonly timezone: string }>;

export const FIRST_PLACES: AccountPlaces = {
  main: { address: SERVICE, keyVariable: KEY_VARIABLES.main },
  second: { address: SERVICE, keyVariable: KEY_VARIABLES.second },
};

const configs = new Map<string, Config>();

/** Programs start often, and few configurations differ. */
function readOnce(text: string): Config {
  const keys = [KEY_VARIABLES, NEXT_KEY_VARIABLES].flatMap((variables) => Object.values(variables));
  const name = `${keys.map((key) => process.env[key])} ${text}`;
  const config = configs.get(name) ?? readConfig(text, '/courier.yaml');
  if (configs.size >= 100) configs.clear();
  configs.set(name, config);
  return config;
}

/** Settings of a watch, by the names of the configuration file. */
export type WatchSettings = Readonly<Record<string, unknown>>;

const toPrice = (price: Price) =>
  typeof price === 'number'
    ? formatTry(micros(price))
    : {
        standard: formatTry(micros(getLevelPrice(price, 'standard'))),
        fast: formatTry(micros(getLevelPrice(price, 'fast'))),
      };

const toSpend = (caps: Readonly<Record<string, number | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(caps).flatMap(([name, cap]) => (cap === null ? [] : [[name, formatTry(micros(cap))]])),
  );

/** The account of the watch of a sitemap. */
export const getAccount = ({ secondAccount }: Pick<OperatorSettings, 'secondAccount'>, sitemap: string): AccountName =>
  secondAccount?.has(sitemap) === true ? 'second' : 'main';

/** The configuration file that says so. Both accounts have the same caps and the same floor. `more` are further settings of each watch. */
export function toConfig(settings: OperatorSettings, more: WatchSettings): Config {
  const { price, caps, floor, watches, schedules, pollsSeldom, hasTwoFiles, places, missingAccounts, policy } =
    settings;
  const { checks, guard } = policy;
  const watchSpend = toSpend({
    per_run: caps.watchPerRun,
    per_day: caps.watchPerDay,
    per_month: caps.watchPerMonth,
  });
  const watch = (sitemap: string) => ({
    account: getAccount(settings, sitemap),
    project: `Project ${sitemap}`,
    service: settings.levels.get(sitemap) ?? 'fast',
    first_run: policy.firstRun,
    sitemaps: [`${SITE}/${sitemap}.xml`, ...(hasTwoFiles ? [`${SITE}/${sitemap}-2.xml`] : [])],
    hosts: [new URL(SITE).host],
    retry_failed: { times: RETRIES, after: '5m' },
    resubmit: {
      on_lastmod_change: policy.buysChanges,
      ...(policy.notWithinMs === 0 ? {} : { not_within: `${policy.notWithinMs / 1_000}s` }),
    },
    guard: {
      ...(guard.maxGonePercent === null ? {} : { max_gone_percent: guard.maxGonePercent }),
      ...(guard.maxNew === null ? {} : { max_new: guard.maxNew }),
      ...(guard.maxNewPercent === null ? {} : { max_new_percent: guard.maxNewPercent }),
      max_changed: guard.maxChanged,
    },
    index_check: {
      ...{
        after: `${checks.afterMs / 1_000}s`,
        every: `${checks.everyMs / 1_000}s`,
        stop_when_found: checks.stopWhenFound,
      },
      sample: `${checks.sample * 100}%`,
      ...(checks.perDay === null ? {} : { per_day: formatTry(micros(checks.perDay)) }),
      ...(policy.resubmitAfter === null ? {} : { resubmit_after: policy.resubmitAfter }),
    },
    ...(Object.keys(watchSpend).length === 0 ? {} : { spend: watchSpend }),
    ...(schedules.has(sitemap) ? { schedule: schedules.get(sitemap) } : {}),
    ...more,
  });
  const spend = {
    ...toSpend({ per_day: caps.perDay, per_month: caps.perMonth }),
    ...(floor === 0 ? {} : { balance_floor: formatTry(micros(floor)) }),
  };
  const account = (name: AccountName) => ({
    reconcile: { confirm_after: '5m' },
    ...settings.accountSettings,
    base_url: `${places[name].address}/api/v1`,
    api_key: { env: places[name].keyVariable },
    ...(pollsSeldom ? { tracking: { fast: { min: '1m', max: '20m', growth: 2 } } } : {}),
    ...(price === null ? {} : { price_per_url: toPrice(price) }),
    ...(Object.keys(spend).length === 0 ? {} : { spend }),
  });
  const text = JSON.stringify({
    version: 1,
    accounts: Object.fromEntries(
      ACCOUNT_NAMES.filter((name) => name === 'main' || settings.secondAccount !== null)
        .filter((name) => !missingAccounts.has(name))
        .map((name) => [name, account(name)]),
    ),
    watches: Object.fromEntries([...watches].map(([name, sitemap]) => [name, watch(sitemap)])),
  });
  return readOnce(text);
}
