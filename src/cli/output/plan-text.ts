import { formatTry, type Micros, maxMicros, micros, negateMicros, sumMicros, ZERO } from '../../../contract/money.ts';
import type { AccountResources } from '../../connector/account-resources.ts';
import type { Preview } from '../../connector/preview.ts';
import type { Plan } from '../../ledger/plans/read-plan.ts';
import type { PlannedUrl } from '../../ledger/reports/planned-urls.ts';
import { formatInstant } from '../../submission/instant.ts';
import { renderReason } from '../../submission/reason.ts';
import { formatVersion } from '../../url/version.ts';
import { formatAmount, formatCount, formatCounted, NOT_KNOWN } from './format.ts';

/** A preview with its plan. */
export interface WatchPlan extends Preview {
  readonly plan: Plan;
  /** The URLs that it buys or holds back; empty unless they were asked for. */
  readonly urls: readonly PlannedUrl[];
  readonly skipped: readonly { readonly reason: string; readonly urls: number; readonly sample: readonly string[] }[];
}

/** What the plans of an account need of its money and its rate limits, all together. */
export interface AccountPlan extends AccountResources {
  readonly urls: number;
  readonly batches: number;
  /** Null when the price of a part is not known. */
  readonly cost: Micros | null;
  readonly balanceAfter: Micros | null;
  /** How much the balance is short of the cost, after what is committed already; 0 when it suffices. */
  readonly shortfall: Micros | null;
  /** One a batch; polling takes more, of what is left. */
  readonly requestsNeeded: number;
  /** At the limit of submissions a minute, in minutes. */
  readonly minutes: number;
}

export function sumAccountPlan(
  resources: AccountResources,
  plans: readonly WatchPlan[],
  submissionsPerMinute: number,
): AccountPlan {
  const costs = plans.map(({ plan }) => plan.cost).filter((cost) => cost !== null);
  const cost = costs.length < plans.length ? null : sumMicros(...costs);
  const batches = plans.reduce((total, { plan }) => total + plan.batches, 0);
  const { left, requestsLeft } = resources;
  const after = left === null || cost === null ? null : micros(left - cost);
  return {
    ...resources,
    urls: plans.reduce((total, { plan }) => total + plan.urls, 0),
    batches,
    cost,
    balanceAfter: after,
    shortfall: after === null ? null : cost === ZERO ? ZERO : maxMicros(ZERO, negateMicros(after)),
    requestsNeeded: batches,
    minutes: Math.ceil(Math.max(0, batches - requestsLeft.submissions) / submissionsPerMinute),
  };
}

const WHY_DUE: Readonly<Record<keyof Plan['due'], string>> = {
  new: 'new',
  changed: 'changed',
  retry: 'failed before',
  'not-found': 'never found in the index',
  released: 'released by you',
};

/** A watch's plan for people. */
export function formatWatchPlan({ watch, diff, plan, guards, skipped }: WatchPlan): string {
  const { found, known, gone, firstRun } = diff;
  const due = Object.entries(plan.due).flatMap(([why, urls]) =>
    urls === 0 ? [] : `${formatCount(urls)} ${WHY_DUE[why as keyof Plan['due']]}`,
  );
  const adopted = firstRun && watch.firstRun === 'baseline' && plan.urls === 0;
  const bought = `${formatCounted(plan.urls, 'URL')} in ${formatCounted(plan.batches, 'batch', 'batches')}`;
  return [
    `${watch.id}: ${formatCount(found)} found, ${formatCount(diff.new)} new, ${formatCount(diff.changed)} changed, ` +
      `${formatCount(known)} known, ${formatCount(gone)} gone`,
    ...skipped.map(
      ({ reason, urls, sample }) =>
        `  skipped ${formatCount(urls)}: ${reason}${sample.length === 0 ? '' : `, for example ${sample[0]}`}`,
    ),
    adopted
      ? '  buys nothing: the first run adopts what is there (first_run: baseline)'
      : `  to buy: ${bought}, ${formatCost(plan)}${due.length === 0 ? '' : ` (${due.join(', ')})`}`,
    ...guards.map((reason) => `  a guard would hold this run: ${renderReason(reason)}`),
  ].join('\n');
}

/** A URL of a plan and why it is bought, as `+ https://… new`; one that is held back begins with a minus. */
export function formatPlannedUrl({ url, due, generation, version, heldReason }: PlannedUrl): string {
  const why = [
    WHY_DUE[due],
    ...(due === 'changed' && version !== null ? [`lastmod ${formatVersion(version)}`] : []),
    ...(generation === 1 ? [] : [`purchase ${generation}`]),
    ...(heldReason === null ? [] : [`held: ${heldReason}`]),
  ].join(', ');
  return `  ${heldReason === null ? '+' : '-'} ${url}  ${why}`;
}

const BASIS: Readonly<Record<Plan['basis'], string>> = {
  learned: 'as the service last charged or showed it',
  configured: 'as configured',
  unknown: NOT_KNOWN,
};

function formatCost({ cost, perUrl, basis, urls }: Plan): string {
  if (urls === 0) return formatTry(ZERO);
  if (cost === null || perUrl === null) return 'price not known yet: it is learned from the first charge';
  return `${formatTry(cost)} at ${formatTry(perUrl)} per URL, ${BASIS[basis]}`;
}

/** What the plans mean for the account, for people. */
export function formatAccountPlan(plan: AccountPlan): string {
  const { account, cost, balance, balanceAt, balanceAfter, requestsNeeded, requestsLeft, minutes } = plan;
  const { minute, hour, day: today, submissions } = requestsLeft;
  const money =
    balance === null
      ? `balance ${NOT_KNOWN}`
      : `balance ${formatTry(balance)} (${formatInstant(balanceAt ?? 0)})${balanceAfter === null ? '' : `, ${formatTry(balanceAfter)} after it`}`;
  return (
    `account ${account}: cost ${formatAmount(cost)}; ${money}\n` +
    `  requests: ${formatCount(requestsNeeded)} to submit${minutes === 0 ? '' : `, over ${formatCounted(minutes, 'minute')}`}; left ` +
    `${formatCounted(submissions, 'submission')} and ${formatCounted(minute, 'request')} this minute, ` +
    `${formatCount(hour)} this hour, ${formatCount(today)} today`
  );
}

/** That the service did not show the balance now, and what is known of it. */
export function formatUnreadBalance({ account, balance, balanceAt }: AccountResources, why: string): string {
  const known =
    balance === null
      ? 'It was never read.'
      : `The one shown is of ${formatInstant(balanceAt ?? 0)} and may have changed since.`;
  return `The balance of ${account} cannot be read now: ${why.replace(/\.$/, '')}. ${known} Nothing was planned or charged.`;
}

/** That the balance does not suffice, and what then happens. Null when it does, or when that is unknown. */
export function formatShortfall({ account, shortfall }: AccountPlan): string | null {
  if (shortfall === null || shortfall === ZERO) return null;
  return (
    `The balance of ${account} is ${formatTry(shortfall)} short of this plan. A run submits as many batches as the ` +
    'balance covers and keeps the rest planned. Top up, or limit the run with --max-cost.'
  );
}
