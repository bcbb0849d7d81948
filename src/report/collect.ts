import { micros } from '../../contract/money.ts';
import type { Account, Config, Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountFigures } from '../ledger/reports/account-figures.ts';
import { type CheckedUrls, listCheckedUrls } from '../ledger/reports/checked-urls.ts';
import { listRunDays } from '../ledger/reports/run-days.ts';
import { listSpending } from '../ledger/reports/spending.ts';
import { getDueUrls, listQuarantineReasons, listWaitingBatches, type Waiting } from '../ledger/reports/waiting.ts';
import { DAY, findFirstWatchDay, listWatchDays, recordWatchDays } from '../ledger/reports/watch-days.ts';
import { getCheckDetailsFrom } from '../ledger/retention/prune.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { addTime, collectPurchases, toStageReport } from './collect-purchases.ts';
import { type AccountReport, type Report, type SpendDay, STAGES, type WatchReport } from './report.ts';

export interface ReportScope {
  /** Only these; of all watches where empty. */
  readonly watches: readonly WatchId[];
  readonly accounts: readonly AccountId[];
  /** Any time of the first day. */
  readonly since: number;
}

const SHOWN_BATCHES = 10;
const SHOWN_REASONS = 10;
const WAITING: readonly Waiting[] = ['needs_review', 'in_doubt', 'to_be_sent', 'open_job'];

/** Reads a report from the ledger. The counts of today are taken first, so the report of a new ledger has a figure. */
export async function collectReport(ledger: Ledger, config: Config, scope: ReportScope): Promise<Report> {
  const adopted = await recordWatchDays(ledger);
  const madeAt = ledger.now();
  const since = Math.floor(scope.since / DAY) * DAY;
  const today = Math.floor(madeAt / DAY) * DAY;
  const watches = [...config.watches.values()].filter((watch) => isInScope(scope, watch));
  const names = new Set(watches.map(({ id }) => id));
  const accounts = [...config.accounts.values()].filter(({ id }) => watches.some(({ account }) => account === id));
  const checkDetailsFrom = await getCheckDetailsFrom(ledger);
  const { times, ...purchases } = await collectPurchases(
    ledger,
    accounts.map(({ id }) => id),
    names,
    since,
  );
  const watchReports: WatchReport[] = [];
  let checksSince = since;
  for (const watch of watches) {
    const checked = await listCheckedUrls(ledger, watch.id, { since, detailsFrom: checkDetailsFrom ?? 0 });
    for (const { at, newSince, urls } of checked.firstFound) addTime(times.found, at, newSince, urls);
    checksSince = Math.max(checksSince, checked.since);
    watchReports.push(await collectWatch(ledger, watch, since, checked, adopted.get(watch.id) ?? 0));
  }
  const spending = await listSpending(ledger, 'day', since);
  const accountReports: AccountReport[] = [];
  for (const account of accounts) {
    const own = spending.filter((line) => line.account === account.id && names.has(line.watch));
    const isWhole = [...config.watches.values()].every(({ id, account: of }) => of !== account.id || names.has(id));
    accountReports.push(await collectAccount(ledger, account, own, names, isWhole));
  }
  return {
    madeAt,
    since,
    today,
    watches: watchReports,
    accounts: accountReports,
    stages: STAGES.map((stage) => toStageReport(stage, times[stage])),
    ...purchases,
    checksSince: checksSince === since ? null : checksSince,
    checkDetailsFrom,
  };
}

const isInScope = ({ watches, accounts }: ReportScope, { id, account }: Watch): boolean =>
  (watches.length === 0 || watches.includes(id)) && (accounts.length === 0 || accounts.includes(account));

async function collectWatch(
  ledger: Ledger,
  { id, account }: Watch,
  since: number,
  { days }: CheckedUrls,
  adopted: number,
): Promise<WatchReport> {
  return {
    watch: id,
    account,
    runs: (await listRunDays(ledger, id, since)).days,
    counts: await listWatchDays(ledger, id, since),
    adopted,
    countedSince: await findFirstWatchDay(ledger, id),
    checks: days,
    due: await getDueUrls(ledger, id),
    quarantine: await listQuarantineReasons(ledger, id, SHOWN_REASONS),
  };
}

async function collectAccount(
  ledger: Ledger,
  { id, spend }: Account,
  spending: Awaited<ReturnType<typeof listSpending>>,
  watches: ReadonlySet<WatchId>,
  isWhole: boolean,
): Promise<AccountReport> {
  const figures = await getAccountFigures(ledger, id);
  const waiting = [];
  for (const kind of WAITING) waiting.push(...(await listWaitingBatches(ledger, kind, id, SHOWN_BATCHES)));
  return {
    account: id,
    balance: figures.balance,
    balanceAt: figures.balanceAt,
    perDay: isWhole ? spend.perDay : null,
    perMonth: isWhole ? spend.perMonth : null,
    chargedThisMonth: figures.chargedThisMonth,
    days: sumDays(spending),
    waiting: waiting.filter(({ watch }) => watches.has(watch)),
    waits: {
      to_be_sent: figures.due.count,
      in_doubt: figures.inDoubt.count,
      needs_review: figures.needsReview,
      open_job: figures.pending.count,
    },
  };
}

/** In the order of time. */
function sumDays(spending: Awaited<ReturnType<typeof listSpending>>): SpendDay[] {
  const days = new Map<number, SpendDay>();
  for (const { from: day, urls, submissions, checkedUrls, checks, unknownChargeUrls } of spending) {
    const sum = days.get(day);
    days.set(day, {
      day,
      urls: (sum?.urls ?? 0) + urls,
      submissions: micros((sum?.submissions ?? 0) + submissions),
      checkedUrls: (sum?.checkedUrls ?? 0) + checkedUrls,
      checks: micros((sum?.checks ?? 0) + checks),
      unknownChargeUrls: (sum?.unknownChargeUrls ?? 0) + unknownChargeUrls,
    });
  }
  return [...days.values()].sort((a, b) => a.day - b.day);
}
