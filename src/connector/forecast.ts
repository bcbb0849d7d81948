import { INDEX_CHECK_PRICE, type Micros, micros, timesMicros, ZERO } from '../../contract/money.ts';
import type { Config, Watch } from '../config/config.ts';
import { requireAccount } from '../config/config.ts';
import { listNextRuns } from '../config/next-runs.ts';
import { getTimeZone } from '../config/time-zone.ts';
import { findWatch } from '../ledger/accounts/watches.ts';
import { countDueChecks } from '../ledger/index-checks/count-due-checks.ts';
import { getDayStart, getMonthStart } from '../ledger/journal/days.ts';
import { getLastBalance } from '../ledger/money/balance.ts';
import { getPrice } from '../ledger/money/price.ts';
import { buildSpendQuestion } from '../ledger/money/spend-question.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { surveyDue } from '../ledger/plans/survey-due.ts';
import { listHeldRuns } from '../ledger/reports/held-runs.ts';
import { getAccountTotals } from '../ledger/reports/totals.ts';
import { getUsualRun } from '../ledger/reports/usual-run.ts';
import { lowerCap, urlsAllowed } from '../submission/caps.ts';
import type { AccountId, RunId, WatchId } from '../submission/ids.ts';

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
  /** A run that waits for a decision: until then no other starts. */
  readonly held: RunId | null;
  readonly checks: number;
  readonly checksCost: Micros;
}

export interface AccountForecast {
  readonly account: AccountId;
  readonly urls: number;
  /** With the index checks; null when the price of a part is unknown. */
  readonly cost: Micros | null;
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  /** After what is committed and after these runs; null when not known. */
  readonly balanceAfter: Micros | null;
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

/** The runs of the next 24 hours. Nothing is crawled or requested: the estimate is from the ledger alone. */
export async function forecastRuns({ config, ledger, isPaused }: ForecastInput): Promise<Forecast> {
  const now = ledger.now();
  const ahead = [...config.watches.values()]
    .map((watch) => ({ watch, ...findNext(watch, isPaused(watch.id), now) }))
    .sort((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity));
  const spent: Spend[] = [];
  const runs: RunForecast[] = [];
  for (const each of ahead) runs.push(await forecastRun(config, ledger, each, spent));
  const accounts: AccountForecast[] = [];
  for (const { id, pricePerUrl } of config.accounts.values()) {
    const own = runs.filter(({ account, at, held }) => account === id && at !== null && held === null);
    const totals = await getAccountTotals(ledger, id, pricePerUrl);
    const unknown = own.some(({ cost }) => cost === null);
    const cost = unknown ? null : micros(own.reduce((sum, run) => sum + computeSpend(run), 0));
    accounts.push({
      account: id,
      urls: own.reduce((sum, { allowed }) => sum + allowed, 0),
      cost,
      balance: totals.balance,
      balanceAt: totals.balanceAt,
      balanceAfter: totals.balance === null || cost === null ? null : micros(totals.balance - totals.committed - cost),
    });
  }
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

/** What an earlier run of the forecast spends of an account. */
interface Spend {
  readonly account: AccountId;
  readonly at: number;
  readonly amount: number;
}

async function forecastRun(
  config: Config,
  ledger: Ledger,
  { watch, at, noRun, runs }: Ahead,
  spent: Spend[],
): Promise<RunForecast> {
  const account = requireAccount(config, watch.account);
  const watchId = (await findWatch(ledger.db, watch.id)) ?? 0;
  const when = at ?? ledger.now();
  const { total: due } = await surveyDue(ledger.db, watchId, watch, when);
  const usual = await getUsualRun(ledger, watch.id);
  const expected = usual.new + (watch.resubmit.onLastmodChange ? usual.changed : 0);
  const urls = due + expected;
  const [held] = await listHeldRuns(ledger, watch.id);
  const { perUrl } = await getPrice(ledger.db, account.id, watch.service, account.pricePerUrl[watch.service]);
  const question = await buildSpendQuestion(
    ledger.db,
    account,
    watch.spend,
    { watchId, runId: null, count: 'all' },
    when,
  );
  const sumSince = (since: number) =>
    spent
      .filter((each) => each.account === account.id && each.at >= since)
      .reduce((sum, { amount }) => sum + amount, 0);
  const balance = (await getLastBalance(ledger, account.id))?.amount ?? null;
  const { committed } = await getAccountTotals(ledger, account.id, account.pricePerUrl);
  const { day, month } = question.account.spent;
  const { urls: allowed, refusal } = urlsAllowed(
    {
      ...question,
      account: {
        ...question.account,
        spent: {
          day: micros(day + sumSince(getDayStart(when))),
          month: micros(month + sumSince(getMonthStart(when))),
        },
      },
      balance: balance === null ? null : micros(balance - committed - sumSince(0)),
    },
    perUrl,
    urls,
  );
  const { indexCheck } = watch;
  const checks =
    indexCheck === null ? 0 : Math.round((await countDueChecks(ledger.db, watchId, when)) * indexCheck.sample);
  const checksAtPrice = timesMicros(INDEX_CHECK_PRICE, checks);
  const forecast: RunForecast = {
    watch: watch.id,
    account: account.id,
    zone: getTimeZone(watch),
    at,
    noRun,
    runs,
    due,
    usual: usual.runs === 0 ? null : expected,
    urls,
    cost: perUrl === null ? (urls === 0 ? ZERO : null) : timesMicros(perUrl, urls),
    allowed,
    limit: refusal?.message ?? null,
    held: held?.run ?? null,
    checks,
    checksCost: lowerCap(checksAtPrice, indexCheck?.perDay ?? null) ?? checksAtPrice,
  };
  if (at !== null && held === undefined) spent.push({ account: account.id, at: when, amount: computeSpend(forecast) });
  return forecast;
}
