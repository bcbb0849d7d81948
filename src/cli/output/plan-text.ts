import { formatTry, type Micros, ZERO } from '../../../contract/money.ts';
import type { AccountResources } from '../../connector/account-resources.ts';
import type { Preview } from '../../connector/preview.ts';
import type { Plan } from '../../ledger/plans/make-plan.ts';
import { formatInstant } from './times.ts';

/** A preview with its plan. */
export interface WatchPlan extends Preview {
  readonly plan: Plan;
  readonly skipped: readonly { readonly reason: string; readonly urls: number; readonly sample: readonly string[] }[];
}

/** What the plans of an account ask of its means, all together. */
export interface AccountPlan extends AccountResources {
  readonly urls: number;
  readonly batches: number;
  /** Null when the price of something in it is not known. */
  readonly cost: Micros | null;
  readonly balanceAfter: Micros | null;
  /** One a batch; following the jobs takes more, of what is left. */
  readonly requestsNeeded: number;
  /** At the limit of submissions a minute, in minutes. */
  readonly minutes: number;
}

export function accountPlan(means: AccountResources, plans: readonly WatchPlan[], perMinute: number): AccountPlan {
  const sum = (of: (plan: Plan) => number): number => plans.reduce((total, { plan }) => total + of(plan), 0);
  const cost = plans.some(({ plan }) => plan.cost === null) ? null : (sum((plan) => plan.cost ?? 0) as Micros);
  const batches = sum((plan) => plan.batches);
  const { balance, requestsLeft } = means;
  return {
    ...means,
    urls: sum((plan) => plan.urls),
    batches,
    cost,
    balanceAfter: balance === null || cost === null ? null : ((balance - cost) as Micros),
    requestsNeeded: batches,
    minutes: Math.ceil(Math.max(0, batches - requestsLeft.submissions) / perMinute),
  };
}

const number = (value: number): string => value.toLocaleString('en-US');
export const counted = (value: number, one: string, many: string): string =>
  `${number(value)} ${value === 1 ? one : many}`;

const WHY: Readonly<Record<keyof Plan['due'], string>> = {
  new: 'new',
  changed: 'changed',
  retry: 'failed before',
  'not-found': 'never found in the index',
  released: 'released by a person',
};

/** A watch's plan for people. */
export function watchText({ watch, diff, plan, guards, skipped }: WatchPlan): string {
  const { found, known, gone, firstRun } = diff;
  const due = Object.entries(plan.due).flatMap(([why, urls]) =>
    urls === 0 ? [] : `${number(urls)} ${WHY[why as keyof Plan['due']]}`,
  );
  const adopted = firstRun && watch.firstRun === 'baseline' && plan.urls === 0;
  return [
    `${watch.id}: ${number(found)} found, ${number(diff.new)} new, ${number(diff.changed)} changed, ${number(known)} known, ${number(gone)} gone`,
    ...skipped.map(
      ({ reason, urls, sample }) =>
        `  skipped ${number(urls)}: ${reason}${sample.length === 0 ? '' : `, for example ${sample[0]}`}`,
    ),
    adopted
      ? '  buys nothing: the first run adopts what is there (first_run: baseline)'
      : `  to buy: ${number(plan.urls)} URLs in ${counted(plan.batches, 'batch', 'batches')}, ${costText(plan)}${due.length === 0 ? '' : ` (${due.join(', ')})`}`,
    ...(plan.held === 0 ? [] : [`  held back: ${number(plan.held)} URLs: ${plan.heldReason}`]),
    ...guards.map((reason) => `  a guard would hold this for a person: ${reason}`),
  ].join('\n');
}

const BASIS: Readonly<Record<Plan['basis'], string>> = {
  learned: 'learned from the last charge',
  configured: 'as configured',
  unknown: 'not known yet',
};

function costText({ cost, perUrl, basis, urls }: Plan): string {
  if (urls === 0) return formatTry(ZERO);
  if (cost === null || perUrl === null) return 'at a price that is not known yet: the first charge will tell';
  return `${formatTry(cost)} at ${formatTry(perUrl)} a URL, ${BASIS[basis]}`;
}

/** What it means for the account, for people. */
export function accountText({
  account,
  cost,
  balance,
  balanceAt,
  balanceAfter,
  requestsNeeded,
  requestsLeft,
  minutes,
}: AccountPlan): string {
  const money =
    balance === null
      ? 'balance not known yet'
      : `balance ${formatTry(balance)} (${formatInstant(balanceAt ?? 0)})${balanceAfter === null ? '' : `, after it ${formatTry(balanceAfter)}`}`;
  const { minute, hour, day: today, submissions } = requestsLeft;
  return (
    `account ${account}: costs ${cost === null ? 'not known yet' : formatTry(cost)}; ${money}\n` +
    `  requests: ${number(requestsNeeded)} to submit${minutes === 0 ? '' : `, over ${number(minutes)} minutes`}; left ` +
    `${number(submissions)} submissions and ${number(minute)} requests this minute, ${number(hour)} this hour, ${number(today)} today`
  );
}
