import { INDEX_CHECK_PRICE, type Micros, micros, timesMicros, ZERO } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { Account, Config, Watch } from '../config/config.ts';
import { listNextRuns } from '../config/next-runs.ts';
import { getTimeZone } from '../config/time-zone.ts';
import { listWatchIds } from '../ledger/accounts/watches.ts';
import { listDueChecks } from '../ledger/index-checks/count-due-checks.ts';
import { getDayStart, getMonthStart } from '../ledger/journal/days.ts';
import { type Counted, listCountedByWatch, sumCounted, type WatchCounted } from '../ledger/journal/sums.ts';
import { type KnownPrice, listPrices } from '../ledger/money/price.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { listWatchesWithDue } from '../ledger/pages/due.ts';
import { surveyDue } from '../ledger/plans/survey-due.ts';
import { type HeldOfWatch, listAllHeld } from '../ledger/reports/held-runs.ts';
import { type AccountMoney, getAccountMoney } from '../ledger/reports/totals.ts';
import { listUsualRuns, type UsualRun } from '../ledger/reports/usual-run.ts';
import { type SpendQuestion, urlsAllowed } from '../submission/caps.ts';
import { describeRemedy } from '../submission/hold-question.ts';
import type { AccountId, RunId, WatchId } from '../submission/ids.ts';
import type { PriceEffect } from '../submission/new-price.ts';

/** Why a watch has no run ahead. */
export type NoRun = 'paused' | 'no_schedule' | 'later';

/** The next run of a watch with an estimate of what it buys. */
export interface RunForecast {
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly zone: string;
  /** Null when none is ahead within a day; `noRun` says why. */
  readonly at: number | null;
  readonly noRun: NoRun | null;
  /** How often it runs within a day. */
  readonly runs: number;
  /** Already due. */
  readonly due: number;
  /** What the last runs found new or changed, by their median; null before a second complete run. */
  readonly usual: number | null;
  /** Due and usual together. */
  readonly urls: number;
  /** Null when no price is known. */
  readonly cost: Micros | null;
  /** How many of them the caps and the balance leave room for. */
  readonly allowed: number;
  /** What limits them; null when nothing does. */
  readonly limit: string | null;
  /** A run that waits for a decision or for money: until then no other starts. */
  readonly held: RunId | null;
  /** What ends that wait without a decision; null where only a decision does. */
  readonly remedy: string | null;
  readonly checks: number;
  /** Of those that the caps and the balance leave room for. */
  readonly checksCost: Micros;
}

export interface AccountForecast {
  readonly account: AccountId;
  readonly urls: number;
  /** With the index checks; null when the price of a part is unknown. */
  readonly cost: Micros | null;
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  /** Charged since the balance was read, and what may still be charged: the balance shows neither. */
  readonly chargedSince: Micros;
  readonly committed: Micros;
  /** After both and after these runs; null when not known. */
  readonly balanceAfter: Micros | null;
  /** Prices that have changed, and what that does to these runs. */
  readonly newPrices: readonly PriceEffect[];
}

export interface Forecast {
  /** In the order of their times; watches without a run last. */
  readonly runs: readonly RunForecast[];
  readonly accounts: readonly AccountForecast[];
}

export interface ForecastInput {
  readonly config: Config;
  readonly ledger: Ledger;
  /** Whether the schedule of a watch is paused on the server. */
  readonly isPaused: (watch: WatchId) => boolean;
}

const DAY = 86_400_000;
/** A line every minute has 1,440 runs a day; more are not counted. */
const MOST_RUNS = 1_440;

/**
 * The runs of the next 24 hours. Nothing is crawled or requested: the estimate is from the ledger alone, in as many statements for
 * one watch as for a thousand, and a few for each watch that has something due already.
 */
export async function forecastRuns({ config, ledger, isPaused }: ForecastInput): Promise<Forecast> {
  const now = ledger.now();
  const ahead = [...config.watches.values()]
    .map((watch) => ({ watch, ...findNext(watch, isPaused(watch.id), now) }))
    .sort((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity));
  const facts = await readFacts(config, ledger, ahead);
  const runs: RunForecast[] = [];
  for (const each of ahead) runs.push(await forecastRun(ledger, each, facts));
  const accounts = [...config.accounts.values()].map(({ id }): AccountForecast => {
    const own = runs.filter(({ account, at, held }) => account === id && at !== null && held === null);
    const { money, prices } = requireFacts(facts, id);
    const unknown = own.some(({ cost }) => cost === null);
    const cost = unknown ? null : micros(own.reduce((sum, run) => sum + computeSpend(run), 0));
    return {
      account: id,
      urls: own.reduce((sum, { allowed }) => sum + allowed, 0),
      cost,
      balance: money.balance,
      balanceAt: money.balanceAt,
      chargedSince: money.chargedSinceBalance,
      committed: money.committed,
      balanceAfter: money.left === null || cost === null ? null : micros(money.left - cost),
      newPrices: Object.values(prices).flatMap(({ changed: price }): PriceEffect[] => {
        if (price === null) return [];
        const atLevel = own.filter(({ watch }) => config.watches.get(watch)?.service === price.service);
        const urls = atLevel.reduce((sum, { allowed }) => sum + allowed, 0);
        return [{ ...price, urls, cost: timesMicros(price.after, urls), costBefore: timesMicros(price.before, urls) }];
      }),
    };
  });
  return { runs, accounts };
}

/** What a run spends on what it is allowed to buy, and on index checks. */
const computeSpend = ({ cost, urls, allowed, checksCost }: RunForecast): number =>
  (urls === 0 || cost === null ? 0 : Math.round((cost / urls) * allowed)) + checksCost;

interface Ahead {
  readonly watch: Watch;
  readonly at: number | null;
  readonly noRun: NoRun | null;
  readonly runs: number;
}

function findNext({ schedule, paused }: Watch, isPaused: boolean, now: number): Omit<Ahead, 'watch'> {
  if (schedule === null) return { at: null, noRun: 'no_schedule', runs: 0 };
  if (paused || isPaused) return { at: null, noRun: 'paused', runs: 0 };
  const [first = null] = listNextRuns(schedule, 1);
  if (first === null || first > now + DAY) return { at: null, noRun: 'later', runs: 0 };
  return { at: first, noRun: null, runs: listNextRuns(schedule, MOST_RUNS).filter((at) => at <= now + DAY).length };
}

/** What an account has, and what the runs of the forecast before spend of it. */
interface AccountFacts {
  readonly account: Account;
  readonly money: AccountMoney;
  readonly prices: Readonly<Record<ServiceLevel, KnownPrice>>;
  readonly counted: Counted;
  readonly spent: { readonly at: number; readonly amount: number }[];
}

/** What the ledger knows of all watches. */
interface Facts {
  readonly accounts: ReadonlyMap<AccountId, AccountFacts>;
  readonly ids: ReadonlyMap<WatchId, number>;
  readonly withDue: ReadonlySet<number>;
  readonly usual: (watch: WatchId) => UsualRun;
  readonly held: ReadonlyMap<WatchId, HeldOfWatch>;
  readonly checks: ReadonlyMap<number, number>;
  readonly counted: readonly WatchCounted[];
}

const requireFacts = ({ accounts }: Facts, id: AccountId): AccountFacts => {
  const facts = accounts.get(id);
  if (facts === undefined) throw new RangeError(`no account ${id}`);
  return facts;
};

async function readFacts(config: Config, ledger: Ledger, ahead: readonly Ahead[]): Promise<Facts> {
  const { db } = ledger;
  const now = ledger.now();
  const accounts = new Map<AccountId, AccountFacts>();
  for (const account of config.accounts.values()) {
    const { id, pricePerUrl } = account;
    accounts.set(id, {
      account,
      money: await getAccountMoney(ledger, id, pricePerUrl),
      prices: await listPrices(ledger, id, pricePerUrl),
      counted: (await sumCounted(db, { account: id, watchId: 0 }, { now, since: 'month' })).account,
      spent: [],
    });
  }
  const ids = await listWatchIds(db);
  const checked = ahead.flatMap(({ watch, at }) => {
    const watchId = ids.get(watch.id);
    return watch.indexCheck === null || watchId === undefined ? [] : [{ watchId, at: at ?? now }];
  });
  return {
    ...{ accounts, ids },
    withDue: await listWatchesWithDue(db),
    usual: await listUsualRuns(ledger, [...config.watches.keys()]),
    held: new Map((await listAllHeld(ledger)).map((each) => [each.watch, each])),
    checks: await listDueChecks(db, checked),
    counted: await listCountedByWatch(db, now),
  };
}

async function forecastRun(ledger: Ledger, { watch, at, noRun, runs }: Ahead, facts: Facts): Promise<RunForecast> {
  const now = ledger.now();
  const own = requireFacts(facts, watch.account);
  const { account, prices, spent } = own;
  const watchId = facts.ids.get(watch.id) ?? 0;
  const when = at ?? now;
  const due = facts.withDue.has(watchId) ? (await surveyDue(ledger.db, watchId, watch, when)).total : 0;
  const usual = facts.usual(watch.id);
  const expected = usual.new + (watch.resubmit.onLastmodChange ? usual.changed : 0);
  const urls = due + expected;
  const held = facts.held.get(watch.id) ?? null;
  const { perUrl } = prices[watch.service];
  const question = buildQuestion(own, facts, watch, { watchId, when, now });
  const { urls: allowed, refusal } = urlsAllowed(question, perUrl, urls);
  const cost = perUrl === null ? (urls === 0 ? ZERO : null) : timesMicros(perUrl, urls);
  const { indexCheck } = watch;
  const checks = indexCheck === null ? 0 : Math.round((facts.checks.get(watchId) ?? 0) * indexCheck.sample);
  const forUrls = perUrl === null ? 0 : timesMicros(perUrl, allowed);
  const checkQuestion = buildQuestion(own, facts, watch, { watchId, when, now, ofChecks: true, more: forUrls });
  const { urls: allowedChecks } = urlsAllowed(checkQuestion, INDEX_CHECK_PRICE, checks);
  const forecast: RunForecast = {
    ...{ watch: watch.id, account: account.id, zone: getTimeZone(watch), at, noRun, runs, due },
    usual: usual.runs === 0 ? null : expected,
    ...{ urls, cost, allowed, checks, held: held?.run ?? null },
    remedy: held === null ? null : describeRemedy(held.reasons),
    limit: refusal?.message ?? null,
    checksCost: timesMicros(INDEX_CHECK_PRICE, allowedChecks),
  };
  if (at !== null && held === null) spent.push({ at: when, amount: computeSpend(forecast) });
  return forecast;
}

interface Asked {
  readonly watchId: number;
  readonly when: number;
  readonly now: number;
  readonly ofChecks?: boolean;
  /** What the same run spends before. */
  readonly more?: number;
}

/** What the caps and the balance leave when a run begins: after what was charged and committed, and after the runs before it. */
function buildQuestion(
  { account, money, counted, spent }: AccountFacts,
  facts: Facts,
  { spend, indexCheck }: Watch,
  { watchId, when, now, ofChecks = false, more = 0 }: Asked,
): Omit<SpendQuestion, 'cost'> {
  const sumSince = (since: number) =>
    more + spent.filter((each) => each.at >= since).reduce((sum, { amount }) => sum + amount, 0);
  const own = facts.counted.filter((each) => each.watch_id === watchId && (!ofChecks || each.kind === 'check'));
  const sumOwn = (of: 'day' | 'month' | 'open') => own.reduce((sum, each) => sum + each[of], 0);
  const isSameDay = getDayStart(when) === getDayStart(now);
  const isSameMonth = getMonthStart(when) === getMonthStart(now);
  const toSpent = (day: number, month: number, open: number) => ({
    day: micros((isSameDay ? day : 0) + open),
    month: micros((isSameMonth ? month : 0) + open),
  });
  const ofAccount = toSpent(counted.day, counted.month, money.committed);
  const ofWatch = toSpent(sumOwn('day'), sumOwn('month'), sumOwn('open'));
  const caps = ofChecks ? { perDay: indexCheck?.perDay ?? null } : spend;
  return {
    watch: { caps, spent: { run: ZERO, ...ofWatch } },
    account: {
      caps: account.spend,
      spent: {
        day: micros(ofAccount.day + sumSince(getDayStart(when))),
        month: micros(ofAccount.month + sumSince(getMonthStart(when))),
      },
    },
    balance: money.left === null ? null : micros(money.left - sumSince(0)),
    floor: account.spend.balanceFloor,
  };
}
