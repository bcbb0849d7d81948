import type { Micros } from '../../contract/money.ts';
import type { Account, Config, Watch } from '../config/config.ts';
import type { NoticeKind } from '../config/notice-kinds.ts';
import { getStatusAsConfigured } from '../ledger/money/status-as-configured.ts';
import type { Condition } from '../ledger/notices/conditions.ts';
import { findLostContact } from '../ledger/notices/contact.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountFigures } from '../ledger/reports/account-figures.ts';
import { findHeldRun, findRunProblem } from '../ledger/reports/run-problem.ts';
import { getDailyRate } from '../ledger/reports/spend-rate.ts';
import { getWatchFigures } from '../ledger/reports/watch-figures.ts';
import { needsRecovery } from '../submission/history-hold.ts';
import { isAccountHold, renderReason } from '../submission/reason.ts';

/** What a message is made from. */
export interface Notice {
  readonly kind: NoticeKind;
  readonly account: string;
  readonly watch: string | null;
  readonly run: string | null;
  /** What happened, as a sentence of the ledger or the service. */
  readonly why: string | null;
  /** Runs, URLs, batches or days, as the kind says. */
  readonly count: number | null;
  /** The money that it is about. */
  readonly amount: Micros | null;
}

export type NoticeCondition = Condition<Notice>;

/** A service that was away for less is an ordinary retry. */
const OUTAGE_MS = 10 * 60_000;
const DAY = 86_400_000;

/**
 * What is wrong now, as far as the configuration asks for it. `startedAt`: when this process began, for a watch that has
 * never run.
 */
export async function findConditions(ledger: Ledger, config: Config, startedAt: number): Promise<NoticeCondition[]> {
  const found: NoticeCondition[] = [];
  for (const account of config.accounts.values()) found.push(...(await findOfAccount(ledger, config, account)));
  for (const watch of config.watches.values()) found.push(...(await findOfWatch(ledger, config, watch, startedAt)));
  return found.filter(({ details }) => config.notify.events.includes(details.kind));
}

type Found = Partial<Omit<Notice, 'kind' | 'account' | 'watch'>> & { readonly since?: number; readonly level?: number };

async function findOfAccount(ledger: Ledger, { notify }: Config, account: Account): Promise<NoticeCondition[]> {
  const { id } = account;
  const found: NoticeCondition[] = [];
  const add = (kind: NoticeKind, { since, level, ...more }: Found): void => {
    const details = { kind, account: id, watch: null, run: null, why: null, count: null, amount: null, ...more };
    found.push({ key: `${kind} ${id}`, since: since ?? null, level: level ?? 0, details });
  };
  const { suspended, keyRejected } = await getStatusAsConfigured(ledger, account);
  const { balance, needsReview } = await getAccountFigures(ledger, id);
  if (keyRejected !== null) add('key_rejected', { why: renderReason(keyRejected) });
  if (suspended?.code === 'history_hold' && needsRecovery(suspended.hold))
    add('account_held', { why: renderReason(suspended) });
  else if (suspended !== null && isAccountHold(suspended)) add('account_stopped', { why: renderReason(suspended) });
  else if (suspended !== null) add('account_suspended', { why: renderReason(suspended), amount: balance });
  const lost = await findLostContact(ledger, id);
  if (lost !== null && ledger.now() - lost.since >= OUTAGE_MS) {
    add('service_unavailable', { why: lost.failure, since: lost.since });
  }
  if (needsReview > 0) add('needs_review', { count: needsReview, level: needsReview });
  const rate = await getDailyRate(ledger, id);
  const spendable = balance === null ? null : balance - account.spend.balanceFloor;
  if (spendable !== null && rate > 0 && spendable < rate * notify.balanceDays) {
    add('balance_low', { amount: balance, count: Math.max(0, Math.floor(spendable / rate)) });
  }
  return found;
}

async function findOfWatch(
  ledger: Ledger,
  { notify }: Config,
  watch: Watch,
  startedAt: number,
): Promise<NoticeCondition[]> {
  const found: NoticeCondition[] = [];
  const add = (kind: NoticeKind, subject: string, { since, level, ...more }: Found): void => {
    const of = { kind, account: watch.account, watch: watch.id };
    const details = { ...of, run: null, why: null, count: null, amount: null, ...more };
    found.push({ key: `${kind} ${subject}`, since: since ?? null, level: level ?? 0, details });
  };
  const figures = await getWatchFigures(ledger, watch.id);
  const { failedRuns, failingSince, lastRun, lastSuccessAt, firstRunAt, heldRun, quarantinedUrls } = figures;
  const isFailing = failedRuns >= notify.failedRuns;
  if (isFailing && lastRun !== null && failingSince !== null) {
    const why = await findRunProblem(ledger, lastRun.run);
    add('run_failing', watch.id, { run: lastRun.run, why, count: failedRuns, since: failingSince });
  }
  const held = heldRun === null ? null : await findHeldRun(ledger, heldRun);
  if (heldRun !== null && held !== null) {
    const { since, reasons, forecast } = held;
    const { urls, cost } = forecast;
    add('run_held', heldRun, { run: heldRun, why: reasons.join('; '), count: urls, amount: cost, since });
  }
  const { keptBackUrls, keptBackReason } = figures;
  if (keptBackUrls > 0) add('kept_back', watch.id, { count: keptBackUrls, why: keptBackReason });
  if (quarantinedUrls > 0) add('quarantine', watch.id, { count: quarantinedUrls, level: quarantinedUrls });
  const since = lastSuccessAt ?? firstRunAt ?? startedAt;
  // A watch that fails, or waits for a decision, is reported as that.
  const isExplained = isFailing || heldRun !== null;
  const isScheduled = watch.schedule !== null && !watch.paused;
  if (isScheduled && !isExplained && ledger.now() - since >= notify.noSuccessAfterMs) {
    add('no_success', watch.id, { count: Math.floor((ledger.now() - since) / DAY), since });
  }
  return found;
}
