import { formatTry, type Micros } from '../../contract/money.ts';
import { formatCount, formatCounted } from './count.ts';
import { type GuardReason, renderGuardReason } from './guard.ts';
import { describeHistoryHold, type HistoryHold } from './history-hold.ts';
import type { AccountId } from './ids.ts';

export type CapScope = 'watch' | 'account';
export type CapPeriod = 'run' | 'day' | 'month';

/** Why money is not spent now. */
export type SpendReason =
  | {
      readonly code: 'cap_reached';
      readonly scope: CapScope;
      readonly period: CapPeriod;
      readonly limit: Micros;
      readonly left: Micros;
      readonly cost: Micros;
    }
  | { readonly code: 'balance_short'; readonly left: Micros; readonly cost: Micros }
  | { readonly code: 'floor_short'; readonly floor: Micros; readonly left: Micros; readonly cost: Micros }
  | { readonly code: 'balance_negative'; readonly balance: Micros; readonly cost: Micros }
  | { readonly code: 'balance_unknown'; readonly floor: Micros }
  | { readonly code: 'price_unknown'; readonly limit: Micros }
  /** More pages or more money than was shown to the operator who decided on the run. */
  | {
      readonly code: 'beyond_decision';
      readonly urls: number;
      /** Null: no price was known then. */
      readonly limit: Micros | null;
      readonly cost: Micros | null;
    };

/** Why a URL is where it is. */
type UrlReason =
  /** In the sitemaps before the watch began: known, and never bought. */
  | { readonly code: 'baseline' }
  | { readonly code: 'run_rejected'; readonly by: string }
  /** A cap, the balance or its floor leaves room for some of the URLs that are due. */
  | { readonly code: 'room_for_some'; readonly limit: SpendReason; readonly allowed: number; readonly wanted: number }
  | { readonly code: 'lastmod_not_resubmitted' }
  | { readonly code: 'lastmod_bought' }
  /** `courier recover` took in a job with the URL that is newer than its lastmod. */
  | { readonly code: 'changed_before_job' }
  | { readonly code: 'bought_by_other_watch' }
  | { readonly code: 'planned_by_other_watch' }
  | { readonly code: 'quarantined_by_other_watch' }
  /** `courier recover` found it bought with or without its final slash, and no complete crawl has shown which is listed. */
  | { readonly code: 'spelling_unsure' }
  /** What the service reported for the URL, in its words. */
  | { readonly code: 'reported'; readonly text: string }
  | { readonly code: 'failed_too_often'; readonly failures: number; readonly text: string | null }
  /** It failed while its watch was not configured: the rule of the watch that lists it next decides. */
  | {
      readonly code: 'failed_without_watch';
      readonly failures: number;
      readonly failedAt: number;
      readonly text: string | null;
    }
  | { readonly code: 'released' }
  | { readonly code: 'left_in_review' }
  | { readonly code: 'no_result'; readonly jobState: string }
  | { readonly code: 'job_resolved'; readonly how: 'release' | 'leave' };

/** Why an index-check ended without its answer. */
type CheckReason =
  | { readonly code: 'check_of_other_account'; readonly inDoubt: boolean }
  | { readonly code: 'check_key_expired' }
  | { readonly code: 'check_outdated' }
  | { readonly code: 'check_body_damaged' };

/**
 * Why a batch, a URL, a run, an account or an index-check is where it is. The ledger stores the code and its parameters, and code compares codes. `renderReason`
 * writes the sentence where it is shown, so that its words can change.
 */
export type Reason =
  | SpendReason
  | GuardReason
  | UrlReason
  | CheckReason
  /** What an answer of the service meant, as `decideOutcome` described it. */
  | { readonly code: 'answer'; readonly outcome: string; readonly text: string }
  /** The service refused the batch with 402. */
  | { readonly code: 'insufficient_balance'; readonly text: string }
  /** What does not fit in an acceptance. */
  | { readonly code: 'warnings'; readonly warnings: readonly string[] }
  | { readonly code: 'reference_changed'; readonly recorded: string; readonly seen: string }
  | { readonly code: 'reference_taken'; readonly reference: string; readonly batch: number }
  /** The service calls both batches by one reference, and they have the same URLs. */
  | { readonly code: 'same_purchase'; readonly batch: number }
  | { readonly code: 'accepted_after_refusal'; readonly reference: string }
  | { readonly code: 'parent_accepted'; readonly batch: number }
  | { readonly code: 'parts_rejected'; readonly text: string }
  | { readonly code: 'body_damaged' }
  | { readonly code: 'lookup_absent' }
  | { readonly code: 'lookup_contradiction'; readonly before: Reason | null }
  /** `refused`: what its last attempt was refused with for want of money (402), before that. */
  | { readonly code: 'lookup_postponed'; readonly text: string; readonly refused?: string }
  | { readonly code: 'lookup_refused'; readonly text: string }
  | { readonly code: 'lookup_unsure'; readonly text: string }
  /** The configuration names another service than the one that the account's jobs and charges belong to. */
  | {
      readonly code: 'other_service';
      readonly account: AccountId;
      readonly recorded: string;
      readonly configured: string;
    }
  /** The key belongs to another account of the service. */
  | { readonly code: 'other_account'; readonly account: AccountId; readonly recorded: string; readonly shown: string }
  /** It was planned before the account belonged to a service, for another address than the account now names. */
  | { readonly code: 'other_address'; readonly recorded: string; readonly configured: string }
  | { readonly code: 'watch_removed' }
  /** Its watch belongs to another account now: this one. */
  | { readonly code: 'watch_moved'; readonly account: AccountId }
  | { readonly code: 'cancelled'; readonly by: string }
  | { readonly code: 'dissolved'; readonly why: Reason }
  | { readonly code: 'resolved'; readonly how: 'release' | 'leave'; readonly before: Reason | null }
  | { readonly code: 'recovered' }
  | { readonly code: 'imported' }
  /** A job that `courier recover` found holds some of its URLs. */
  | { readonly code: 'bought_in_job'; readonly reference: string }
  /** The account is held back until its history is compared or recovered. */
  | { readonly code: 'history_hold'; readonly account: AccountId; readonly hold: HistoryHold }
  /** The service refuses every batch of the account alike. */
  | {
      readonly code: 'requests_refused';
      readonly account: AccountId;
      readonly status: number;
      readonly batches: number;
      readonly text: string;
      readonly until: number;
    }
  /** One of them, which waits with the others. */
  | { readonly code: 'refused_with_others'; readonly status: number }
  /** Nothing is sent before the service has answered once. `text`: what it answered last, and when. */
  | { readonly code: 'unanswered'; readonly text: string; readonly at: number }
  | { readonly code: 'state_unknown'; readonly state: string }
  | { readonly code: 'state_reversed'; readonly recorded: string; readonly seen: string };

/** The sentence for a reason: what happened, what it means for the money, what to do. */
export function renderReason(reason: Reason): string {
  switch (reason.code) {
    case 'cap_reached':
    case 'balance_short':
    case 'floor_short':
    case 'balance_negative':
      return `${describeLimit(reason)}, and ${formatTry(reason.cost)} is needed; nothing was spent`;
    case 'balance_unknown':
      return (
        `the balance is unknown, so its floor of ${formatTry(reason.floor)} cannot be kept; nothing was spent. ` +
        'It is asked for again before the next attempt'
      );
    case 'beyond_decision': {
      const needed = reason.cost === null ? '' : `, and ${formatTry(reason.cost)} is needed`;
      return `${describeLimit(reason)}${needed}; nothing was spent. The next run asks again`;
    }
    case 'price_unknown':
      return (
        'no price per URL is known, so a cap cannot be kept; nothing was spent. ' +
        'Set price_per_url of the account, or remove the caps until the first charge shows it'
      );
    case 'max_new':
    case 'max_new_percent':
    case 'max_changed':
    case 'max_changed_percent':
    case 'max_gone_percent':
      return renderGuardReason(reason);
    case 'baseline':
      return 'baseline';
    case 'run_rejected':
      return `rejected by ${reason.by}`;
    case 'room_for_some':
      return `${describeLimit(reason.limit)}, which allows ${formatCount(reason.allowed)} of ${formatCount(reason.wanted)} URLs; the others stay due`;
    case 'lastmod_not_resubmitted':
      return 'its lastmod changed; the watch does not resubmit';
    case 'lastmod_bought':
      return 'its lastmod is not later than the one that was bought';
    case 'changed_before_job':
      return 'it changed before a job was created that "courier recover" took in: that job counts as the purchase';
    case 'bought_by_other_watch':
      return 'bought by another watch of the account';
    case 'planned_by_other_watch':
      return 'planned by another watch of the account';
    case 'quarantined_by_other_watch':
      return 'in quarantine under another watch of the account: released there, it is bought there';
    case 'spelling_unsure':
      return (
        'the service has it as bought, with or without its final slash. It waits for a complete crawl, which shows ' +
        'whether both are listed'
      );
    case 'failed_too_often':
      return describeFailures(reason);
    case 'failed_without_watch':
      return `${describeFailures(reason)}; the watch that lists it decides whether it is bought again`;
    case 'released':
      return 'released by an operator';
    case 'left_in_review':
      return 'its batch needed review; an operator left it as it is';
    case 'no_result':
      return `its job ended ${reason.jobState} without a result for it`;
    case 'job_resolved':
      return `an operator ended its job: ${reason.how}`;
    case 'check_of_other_account':
      return reason.inDoubt
        ? 'its watch moved to another account before its answer came; it counts as charged there'
        : 'its watch belongs to another account now';
    case 'check_key_expired':
      return 'no answer came for as long as its key is trusted; it counts as charged';
    case 'check_outdated':
      return 'it was planned long ago and never sent; nothing was charged, and its URLs are due again';
    case 'check_body_damaged':
      return 'its stored bytes are not those that its key was made for: nothing was sent';
    case 'answer':
    case 'insufficient_balance':
    case 'reported':
    case 'unanswered':
      return reason.text;
    case 'warnings':
      return reason.warnings.join('; ');
    case 'reference_changed':
      return (
        `the service first called this batch ${reason.recorded} and now ${reason.seen}: it may be charged twice. ` +
        `${reason.recorded} stays recorded; ask the service about ${reason.seen}`
      );
    case 'reference_taken':
      return (
        `the service calls this batch ${reason.reference}, as it called batch ${reason.batch}: one of them may not be ` +
        `processed. Nothing more is sent of this one; ask the service which URLs ${reason.reference} has`
      );
    case 'same_purchase':
      return `the same URLs as batch ${reason.batch}, under the same reference: one purchase, charged once with that batch`;
    case 'accepted_after_refusal':
      return (
        `the service accepted this batch as ${reason.reference} after it had refused it. ` +
        'Parts that were not sent stop; ask the service about those that were'
      );
    case 'parent_accepted':
      return `its URLs were accepted with batch ${reason.batch} after all`;
    case 'parts_rejected':
      return (
        `the service rejects part after part of this batch and accepts none (${reason.text}). Nothing was charged; ` +
        'the cause is probably not the URLs. Ask the service, then release or leave the batch'
      );
    case 'body_damaged':
      return (
        'the stored body does not match its digest; sending it could be charged twice. Nothing was sent. ' +
        'Restore the ledger from a copy, or release its URLs'
      );
    case 'lookup_absent':
      return "not in the service's list: it is sent again with the same key";
    case 'lookup_contradiction': {
      const before = reason.before === null ? '' : `${renderReason(reason.before)}. `;
      return `${before}The service's list does not have it. Nothing more is sent until you decide`;
    }
    case 'lookup_postponed':
      return (
        `${reason.refused === undefined ? '' : `the service refused it for want of money (${withoutStop(reason.refused)}). Then `}` +
        `the service's list cannot be read now (${reason.text}); it is looked up again before anything is sent`
      );
    case 'lookup_refused':
      return (
        `the service's list cannot be read (${reason.text}); the batch may be charged already, so nothing is sent ` +
        'again. Look it up at the service, then decide'
      );
    case 'lookup_unsure':
      return reason.text;
    case 'other_service':
      return (
        `account ${reason.account} belongs to ${reason.recorded}, and the configuration names ${reason.configured}. ` +
        'Nothing is sent, polled or checked. Use a new account name for another service. If it is the same service at a ' +
        `new address, confirm it with "courier accounts move ${reason.account}"`
      );
    case 'other_account':
      return (
        `the API key of account ${reason.account} belongs to another account of the service (${reason.shown}) than the ` +
        `jobs and charges of this ledger (${reason.recorded}). Nothing is sent, polled or checked. Restore the key of the ` +
        'first account, or use a new account name for the other one. If the service renumbered the account, confirm it ' +
        `with "courier accounts move ${reason.account}"`
      );
    case 'other_address':
      return `it was planned for ${reason.recorded}, where nothing was ever bought, and the account now names ${reason.configured}`;
    case 'watch_removed':
      return 'its watch is no longer configured; nothing was sent';
    case 'watch_moved':
      return `its watch now belongs to account ${reason.account}, which buys its URLs with the next run of the watch`;
    case 'cancelled':
      return `cancelled by ${reason.by} before anything was sent`;
    case 'dissolved':
      return `taken back before anything was sent: ${renderReason(reason.why)}. Its URLs are due again`;
    case 'resolved': {
      const before = reason.before === null ? '' : `${renderReason(reason.before)}; `;
      return `${before}resolved by an operator: ${reason.how}`;
    }
    case 'recovered':
      return 'recovered from the service';
    case 'imported':
      return 'imported as already submitted';
    case 'bought_in_job':
      return `the service has taken some of its URLs as ${reason.reference}: it is not sent as it is. URLs of it that were not bought are due again, or wait for your review where an attempt may have been charged`;
    case 'history_hold':
      return describeHistoryHold(reason.account, reason.hold);
    case 'requests_refused':
      return (
        `the service refused ${reason.batches} batches in a row with status ${reason.status} and accepted none ` +
        `(${withoutStop(reason.text)}). Nothing was charged, and the URLs are not the cause: ` +
        `${describeCause(reason.status, reason.account)}. One batch is tried at ` +
        `${new Date(reason.until).toISOString()}, and all are sent once it is accepted. ` +
        `"courier accounts resume ${reason.account}" sends all at once; with --release their URLs are due again, for the ` +
        'settings of the next run'
      );
    case 'refused_with_others':
      return `refused with status ${reason.status}, as every batch of the account; nothing was charged. It is sent again when the account sends again`;
    case 'state_unknown':
      return (
        `the service calls the job "${reason.state}", an unknown state: it counts as open and nothing is ` +
        'bought because of it. Map it under "status_map" or "terminal_states" of the account'
      );
    case 'state_reversed':
      return (
        `the service now calls the job ${reason.seen} after it was ${reason.recorded}; ${reason.recorded} stays ` +
        'recorded and nothing is bought again. Ask the service if the job matters'
      );
  }
}

const describeFailures = ({ failures, text }: { readonly failures: number; readonly text: string | null }): string =>
  `failed ${failures === 1 ? 'once' : `${failures} times in a row`}${text === null ? '' : `: ${text}`}`;

/** A sentence's text without its full stop, to go on with. */
export const withoutStop = (text: string): string => text.replace(/[.]+$/, '');

/** What to look for when every request is refused with this status. */
function describeCause(status: number, account: AccountId): string {
  if (status === 404 || status === 405) {
    return (
      'there is no such address at the service, so base_url is probably wrong. Correct it, then run ' +
      `"courier accounts move ${account}"`
    );
  }
  if (status === 413) return 'look for a gateway in front of the service that limits the size of a request';
  return 'look at the settings of the account and its watches, or ask the service';
}

/** Parameters of a reason that name a job or an account at the service. */
const ID_PARAMETERS = ['reference', 'references', 'recorded', 'seen', 'shown'];

/** The ids that a reason's sentence repeats. */
export const listIds = (reason: Reason): string[] => readIds(reason);

function readIds(params: object): string[] {
  return Object.entries(params).flatMap(([name, value]: [string, unknown]) => {
    if (ID_PARAMETERS.includes(name)) return [value].flat().filter((each) => typeof each === 'string');
    return typeof value === 'object' && value !== null ? readIds(value) : [];
  });
}

/** The reason as a sentence that stands alone. */
export const toSentence = (reason: Reason): string =>
  `${renderReason(reason).replace(/^./, (first) => first.toUpperCase())}.`;

/** What a cap or the balance leaves. */
export function describeLimit(reason: SpendReason): string {
  switch (reason.code) {
    case 'cap_reached': {
      const { scope, period, limit, left } = reason;
      return `the cap ${scope} per ${period} of ${formatTry(limit)} leaves ${formatTry(left)}`;
    }
    case 'balance_short':
      return `the balance leaves ${formatTry(reason.left)}`;
    case 'floor_short':
      return `the balance leaves ${formatTry(reason.left)} above its floor of ${formatTry(reason.floor)}`;
    case 'balance_negative':
      return `the balance, less what is committed, is below zero (${formatTry(reason.balance)})`;
    case 'beyond_decision':
      return (
        `what was decided on for this run is ${formatCounted(reason.urls, 'URL')}` +
        (reason.limit === null ? '' : ` for ${formatTry(reason.limit)} at most`)
      );
    case 'balance_unknown':
    case 'price_unknown':
      return renderReason(reason);
  }
}

/** Reasons that say what money may be spent, as against those of a guard. */
export const isSpendReason = (reason: Reason): reason is Exclude<SpendReason, { code: 'beyond_decision' }> =>
  reason.code === 'cap_reached' || reason.code === 'price_unknown' || isMoneyReason(reason.code);

/** Reasons that only money on the account, or a balance that can be read, ends. */
export const MONEY_REASONS = ['balance_short', 'floor_short', 'balance_negative', 'balance_unknown'] as const;

/** The same with the service's own refusal, whose batch waits for a time of its own. */
export const WAITS_FOR_MONEY = [...MONEY_REASONS, 'insufficient_balance'] as const;

/** The 402 of a batch's last attempt: a list that cannot be read must not hide that money is missing. */
export function getMoneyRefusal(reason: Reason | null): string | undefined {
  if (reason?.code === 'insufficient_balance') return reason.text;
  return reason?.code === 'lookup_postponed' ? reason.refused : undefined;
}

export const isMoneyReason = (code: string | null): boolean => MONEY_REASONS.some((each) => each === code);

/** The account is not the one that the ledger's jobs and charges belong to. */
export const isOtherAccount = ({ code }: Reason): boolean => code === 'other_service' || code === 'other_account';

/** Reasons for which a whole account sends nothing, and which money does not end. */
const ACCOUNT_HOLDS: readonly Reason['code'][] = ['history_hold', 'other_service', 'other_account', 'requests_refused'];

export const isAccountHold = ({ code }: Reason): boolean => ACCOUNT_HOLDS.includes(code);

/** Whether an account waits for money that is missing, as against a hold, or a balance that nobody knows now. */
export const isWantOfMoney = (reason: Reason): boolean => !isAccountHold(reason) && reason.code !== 'balance_unknown';

/** A reason as two columns. */
export interface StoredReason {
  readonly reason_code: string | null;
  readonly reason_params: string | null;
}

export function toStoredReason(reason: Reason | null): StoredReason {
  if (reason === null) return { reason_code: null, reason_params: null };
  const { code, ...params } = reason;
  return { reason_code: code, reason_params: Object.keys(params).length === 0 ? null : JSON.stringify(params) };
}

export function parseReason(stored: StoredReason & { readonly reason_code: string }): Reason;
export function parseReason(stored: StoredReason): Reason | null;
export function parseReason({ reason_code, reason_params }: StoredReason): Reason | null {
  if (reason_code === null) return null;
  return { code: reason_code, ...JSON.parse(reason_params ?? '{}') } as Reason;
}

/** Whether two rows hold the same reason, with the same parameters. */
export const isSameReason = (a: StoredReason, b: StoredReason): boolean =>
  a.reason_code === b.reason_code && a.reason_params === b.reason_params;

/** The stored reason as the sentence that lists and reports show; null without one. */
export function renderStoredReason(stored: StoredReason): string | null {
  const reason = parseReason(stored);
  return reason === null ? null : renderReason(reason);
}
