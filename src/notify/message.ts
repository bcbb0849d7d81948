import { formatTry, type Micros } from '../../contract/money.ts';
import type { NoticeKind } from '../config/notice-kinds.ts';
import type { Transition } from '../ledger/notices/conditions.ts';
import { formatSpan } from '../submission/span.ts';
import type { Notice } from './find-conditions.ts';

/** A message to people, before it gets the form of its channel. */
export interface Message {
  readonly event: 'began' | 'grew' | 'ended' | 'digest' | 'test';
  readonly kind: NoticeKind | null;
  readonly account: string | null;
  readonly watch: string | null;
  /** One line: what happened. */
  readonly title: string;
  /** Since when, which money, why. */
  readonly lines: readonly string[];
  /** What to type; null when there is nothing to do. */
  readonly command: string | null;
  readonly since: number | null;
  readonly at: number;
  readonly amount: Micros | null;
}

interface Described {
  readonly title: string;
  /** What it means for URLs and money. */
  readonly meaning: string;
  readonly command: string | null;
  /** The title when it is over; null: nobody needs to hear of it. */
  readonly ended: string | null;
}

/** The message for a transition; null when nobody needs one. */
export function describeTransition({ change, since, details }: Transition<Notice>, at: number): Message | null {
  const { kind, account, watch, why, amount } = details;
  const described = describe(details);
  const of = { event: change, kind, account, watch, since, at, amount };
  if (change === 'ended') {
    if (described.ended === null) return null;
    const lines = [`It lasted ${formatSpan(at - since)}, since ${formatTime(since)}.`];
    return { ...of, title: described.ended, lines, command: null };
  }
  const lines = [`Since ${formatTime(since)}.`, described.meaning, ...(why === null ? [] : [`Reason: ${why}`])];
  return { ...of, title: described.title, lines, command: described.command };
}

const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const formatUrls = (count: number | null): string => (count === 1 ? '1 URL' : `${formatCount(count ?? 0)} URLs`);
const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
const formatAmount = (amount: Micros | null): string => (amount === null ? 'an unknown amount' : formatTry(amount));

function describe({ kind, account, watch, run, count, amount }: Notice): Described {
  switch (kind) {
    case 'run_failing':
      return {
        title: `${watch}: the last ${count} runs were incomplete`,
        meaning: 'New URLs of the sitemaps that cannot be read are not submitted. Nothing is charged for them.',
        command: 'courier status',
        ended: `${watch}: a run was complete again`,
      };
    case 'run_held':
      return {
        title: `${watch}: a run waits for approval of ${formatUrls(count)}, ${formatAmount(amount)}`,
        meaning: 'Nothing of it is bought before you approve it.',
        command: `courier approve ${run}`,
        ended: null,
      };
    case 'no_success':
      return {
        title: `${watch}: no complete run for ${count} days`,
        meaning: 'Its new URLs are not submitted. Nothing is charged.',
        command: 'courier watch list',
        ended: `${watch}: a run was complete again`,
      };
    case 'kept_back':
      return {
        title: `${watch}: a cap or the balance keeps back ${formatUrls(count)}`,
        meaning: 'They stay due and are bought by a later run, as far as the caps and the balance allow.',
        command: `courier plan ${watch}`,
        ended: `${watch}: no URL is kept back any more`,
      };
    case 'quarantine':
      return {
        title: `${watch}: ${formatUrls(count)} in quarantine`,
        meaning: 'They failed too often or were rejected, and are not submitted again before you release them.',
        command: `courier quarantine list ${watch}`,
        ended: null,
      };
    case 'key_rejected':
      return {
        title: `${account}: the service rejects the API key`,
        meaning:
          'Nothing of the account is submitted or charged. Correct the key in its file or variable; work then continues by itself.',
        command: 'courier status',
        ended: `${account}: the API key works again`,
      };
    case 'account_suspended':
      return {
        title: `${account}: the funds do not suffice${amount === null ? '' : `, balance ${formatTry(amount)}`}`,
        meaning:
          'Planned batches wait and keep their keys. Top up the account or raise the cap; work then continues by itself.',
        command: 'courier status',
        ended: `${account}: the funds suffice again`,
      };
    case 'account_held':
      return {
        title: `${account}: the service has jobs that the ledger does not know`,
        meaning: 'Nothing is submitted, because it may have been bought already.',
        command: `courier recover --account ${account}`,
        ended: `${account}: the ledger knows all jobs again`,
      };
    case 'account_stopped':
      return {
        title: `${account}: nothing is submitted`,
        meaning: 'Planned batches wait and keep their keys; nothing is charged for them.',
        command: 'courier status',
        ended: `${account}: batches are submitted again`,
      };
    case 'service_unavailable':
      return {
        title: `${account}: the service does not respond`,
        meaning: 'Batches keep their keys and are sent again: nothing is lost or charged twice.',
        command: 'courier status',
        ended: `${account}: the service responds again`,
      };
    case 'balance_low':
      return {
        title: `${account}: the balance of ${formatAmount(amount)} lasts for ${count === 1 ? '1 day' : `${count} days`}`,
        meaning: 'At the rate of the last seven days. Top up the account.',
        command: 'courier status',
        ended: `${account}: the balance suffices again`,
      };
    case 'needs_review':
      return {
        title: `${account}: ${count === 1 ? '1 batch needs' : `${count} batches need`} your review`,
        meaning: 'They may have been charged; they count against the caps until you decide. Ask the service first.',
        command: 'courier status',
        ended: `${account}: no batch needs review any more`,
      };
  }
}

/** What `courier notify test` sends. */
export function createTestMessage(at: number): Message {
  return {
    ...{ event: 'test', kind: null, account: null, watch: null, since: null, at, amount: null },
    title: 'This is a test of sitemap-courier',
    lines: ['This channel works: it gets a message when something is wrong, and one when it is over.'],
    command: 'courier status',
  };
}
