import type { Micros } from '../../contract/money.ts';
import type { Account, Config, Watch } from '../config/config.ts';
import { getLateAfterMs } from '../config/late-after.ts';
import type { NoticeKind } from '../config/notice-kinds.ts';
import { getTimeZone } from '../config/time-zone.ts';
import { getStatusAsConfigured } from '../ledger/money/account-status.ts';
import { listNewPrices } from '../ledger/money/price.ts';
import type { Condition } from '../ledger/notices/conditions.ts';
import { findLastResponse, findLostContact } from '../ledger/notices/contact.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountFigures, sumInReview } from '../ledger/reports/account-figures.ts';
import { type HeldOfWatch, listAllHeld } from '../ledger/reports/held-runs.ts';
import { listSitemapProblemsOf, type SitemapProblem } from '../ledger/reports/sitemap-problems.ts';
import { getDailyRate } from '../ledger/reports/spend-rate.ts';
import { getAccountMoney } from '../ledger/reports/totals.ts';
import { listWatchFigures, type WatchFigures } from '../ledger/reports/watch-figures.ts';
import { isHeldForMoney } from '../ledger/runs/run-hold.ts';
import { needsRecovery } from '../submission/history-hold.ts';
import type { AccountId, RunId } from '../submission/ids.ts';
import type { PriceEffect } from '../submission/new-price.ts';
import { isAccountHold, isWantOfMoney, listIds, type Reason, renderReason } from '../submission/reason.ts';

/** What the ledger itself can tell: not that it cannot be written. */
export type ConditionKind = Exclude<NoticeKind, 'ledger_unwritable'>;

/** What a message is made from. */
export interface Notice {
  readonly kind: ConditionKind;
  readonly account: string;
  readonly watch: string | null;
  readonly run: string | null;
  /** What happened, as a sentence of the ledger or the service. */
  readonly why: string | null;
  /** Runs, URLs, batches or days, as the kind says. */
  readonly count: number | null;
  /** Of a held run: how many of its URLs the caps and the balance allow now. */
  readonly allowed: number | null;
  /** Of a held run: it waits for a cap, the balance or a price, and goes on by itself with them. */
  readonly isForMoney: boolean;
  readonly examples: readonly string[];
  /** Names and ids that look like a secret but are not. */
  readonly ids: readonly string[];
  /** The zone for its times. */
  readonly zone: string;
  /** The money that it is about. */
  readonly amount: Micros | null;
  /** What a URL costs now, and what that does to the next runs. */
  readonly price: PriceEffect | null;
}

export type NoticeCondition = Condition<Notice>;

/** A service that was away for less is an ordinary retry. */
const OUTAGE_MS = 10 * 60_000;
/** Of the URLs of a held run. */
const EXAMPLES = 3;

export interface FindOptions {
  /** When this process began, for a watch that has never run. */
  readonly startedAt: number;
  /** What changed prices do to the runs of the next 24 hours, by account. */
  readonly forecastPrices: () => Promise<ReadonlyMap<AccountId, readonly PriceEffect[]>>;
}

/** What is wrong now, as far as the configuration asks for it. */
export async function findConditions(
  ledger: Ledger,
  config: Config,
  { startedAt, forecastPrices }: FindOptions,
): Promise<NoticeCondition[]> {
  const found: NoticeCondition[] = [];
  for (const account of config.accounts.values()) {
    found.push(...(await findOfAccount(ledger, config, account)));
    found.push(...(await findNewPrices(ledger, config, account, forecastPrices)));
  }
  const figures = await listWatchFigures(ledger, [...config.watches.keys()]);
  const held = new Map((await listAllHeld(ledger)).map((each) => [each.run, each]));
  const failed = [...figures.values()].flatMap(({ lastRun }) => (lastRun?.succeeded === false ? [lastRun.run] : []));
  const unread = await listSitemapProblemsOf(ledger, failed, 1);
  for (const watch of config.watches.values()) {
    const own = figures.get(watch.id);
    if (own !== undefined) found.push(...findOfWatch(watch, own, { ledger, config, startedAt, held, unread }));
  }
  return found.filter(({ details }) => config.notify.events.includes(details.kind));
}

type Found = Partial<Omit<Notice, 'kind' | 'account' | 'watch' | 'zone'>> & {
  readonly since?: number;
  readonly level?: number;
};

const NOTHING = {
  run: null,
  why: null,
  count: null,
  amount: null,
  allowed: null,
  isForMoney: false,
  examples: [],
  ids: [],
  price: null,
};

async function findOfAccount(ledger: Ledger, { notify }: Config, account: Account): Promise<NoticeCondition[]> {
  const { id } = account;
  const found: NoticeCondition[] = [];
  const add = (kind: ConditionKind, { since, level, ...more }: Found): void => {
    const details = { kind, account: id, watch: null, ...NOTHING, zone: notify.digest?.timezone ?? 'UTC', ...more };
    found.push({ key: `${kind} ${id}`, since: since ?? null, level: level ?? 0, details });
  };
  const { suspended, keyRejected } = await getStatusAsConfigured(ledger, account);
  const { balance, balanceAt, needsReview } = await getAccountFigures(ledger, id);
  const say = (reason: Reason) => ({ why: renderReason(reason), ids: listIds(reason) });
  if (keyRejected !== null) add('key_rejected', say(keyRejected));
  if (suspended?.code === 'history_hold' && needsRecovery(suspended.hold)) add('account_held', say(suspended));
  else if (suspended !== null && isAccountHold(suspended)) add('account_stopped', say(suspended));
  else if (suspended !== null && isWantOfMoney(suspended)) {
    add('account_suspended', { ...say(suspended), amount: balance });
  } else if (suspended !== null && keyRejected === null && (await isBalanceWithheld(ledger, id, balanceAt))) {
    add('account_stopped', say(suspended));
  }
  const lost = await findLostContact(ledger, id);
  if (lost !== null && ledger.now() - lost.since >= OUTAGE_MS) {
    add('service_unavailable', { why: lost.failure, since: lost.since });
  }
  if (needsReview > 0) {
    const amount = await sumInReview(ledger.db, id);
    add('needs_review', { count: needsReview, level: needsReview, amount });
  }
  const rate = await getDailyRate(ledger, id);
  const { left } = rate === 0 ? { left: null } : await getAccountMoney(ledger, id, account.pricePerUrl);
  const spendable = left === null ? null : left - account.spend.balanceFloor;
  if (spendable !== null && spendable < rate * notify.balanceDays) {
    add('balance_low', { amount: left, count: Math.max(0, Math.floor(spendable / rate)) });
  }
  return found;
}

/** The forecast is made only where a price has changed. */
async function findNewPrices(
  ledger: Ledger,
  { notify }: Config,
  { id, pricePerUrl }: Account,
  forecastPrices: FindOptions['forecastPrices'],
): Promise<NoticeCondition[]> {
  if ((await listNewPrices(ledger, id, pricePerUrl)).length === 0) return [];
  const zone = notify.digest?.timezone ?? 'UTC';
  const changed = (await forecastPrices()).get(id) ?? [];
  return changed.map((price): NoticeCondition => {
    const { service, since, cost } = price;
    const of = { kind: 'price_changed', account: id, watch: null } as const;
    const details: Notice = { ...of, ...NOTHING, zone, price, amount: cost };
    return { key: `price_changed ${id} ${service} ${since}`, since, level: 0, details };
  });
}

/** Whether the service responds and the balance stays unknown all the same. While it does not respond, that is an outage. */
async function isBalanceWithheld(ledger: Ledger, account: AccountId, balanceAt: number | null): Promise<boolean> {
  const respondedAt = await findLastResponse(ledger, account);
  return respondedAt !== null && respondedAt >= (balanceAt ?? 0) + OUTAGE_MS;
}

/** What is known of all watches, read once. */
interface Known {
  readonly ledger: Pick<Ledger, 'now'>;
  readonly config: Config;
  readonly startedAt: number;
  readonly held: ReadonlyMap<RunId, HeldOfWatch>;
  readonly unread: ReadonlyMap<RunId, readonly SitemapProblem[]>;
}

function findOfWatch(
  watch: Watch,
  figures: WatchFigures,
  { ledger, config: { notify }, startedAt, held, unread }: Known,
): NoticeCondition[] {
  const found: NoticeCondition[] = [];
  const add = (kind: ConditionKind, subject: string, { since, level, ...more }: Found): void => {
    const of = { kind, account: watch.account, watch: watch.id, zone: getTimeZone(watch) };
    const details = { ...of, ...NOTHING, ...more };
    found.push({ key: `${kind} ${subject}`, since: since ?? null, level: level ?? 0, details });
  };
  const { failedRuns, failingSince, lastRun, lastSuccessAt, firstRunAt, heldRun, quarantinedUrls } = figures;
  const isFailing = failedRuns >= notify.failedRuns;
  if (isFailing && lastRun !== null && failingSince !== null) {
    const [first] = unread.get(lastRun.run) ?? [];
    const why = first === undefined ? null : `${first.sitemap}: ${first.message}`;
    add('run_failing', watch.id, { run: lastRun.run, why, count: failedRuns, since: failingSince });
  }
  const asked = heldRun === null ? undefined : held.get(heldRun);
  if (heldRun !== null && asked !== undefined) {
    const { since, reasons, forecast, sample } = asked;
    const { urls, cost, allowed } = forecast;
    const isForMoney = isHeldForMoney(asked);
    const what = { count: urls, amount: cost, allowed, isForMoney, examples: sample.slice(0, EXAMPLES) };
    add('run_held', heldRun, { run: heldRun, why: reasons.map(renderReason).join('; '), ...what, since });
  }
  const { keptBackUrls, keptBackReason } = figures;
  if (keptBackUrls > 0) add('kept_back', watch.id, { count: keptBackUrls, why: keptBackReason });
  if (quarantinedUrls > 0) add('quarantine', watch.id, { count: quarantinedUrls, level: quarantinedUrls });
  const since = lastSuccessAt ?? firstRunAt ?? startedAt;
  // A watch that fails, or waits for a decision, is reported as that.
  const isExplained = isFailing || heldRun !== null;
  const lateAfterMs = getLateAfterMs(watch, notify.noSuccessAfterMs);
  if (lateAfterMs !== null && !isExplained && ledger.now() - since >= lateAfterMs)
    add('no_success', watch.id, { since });
  return found;
}
