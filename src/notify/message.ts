import { formatTry, type Micros, ZERO } from '../../contract/money.ts';
import type { NoticeKind } from '../config/notice-kinds.ts';
import type { Transition } from '../ledger/notices/conditions.ts';
import { formatInstant, formatInstantIn } from '../submission/instant.ts';
import { formatSpan } from '../submission/span.ts';
import type { Notice } from './find-conditions.ts';

/** Which of many installations speaks. */
export interface Installation {
  readonly name: string;
  /** The file or the database of its ledger. */
  readonly ledger: string;
}

/** The content of a message, before its sender is known. */
export type Draft = Omit<Message, 'installation'>;

/** A message to people, before it gets the form of its channel. */
export interface Message {
  readonly installation: Installation;
  readonly event: 'began' | 'grew' | 'ended' | 'digest' | 'test';
  readonly kind: NoticeKind | null;
  readonly account: string | null;
  readonly watch: string | null;
  /** One line: what happened. */
  readonly title: string;
  /** Since when, which money, why. */
  readonly lines: readonly string[];
  /** What to type, the first choice first; none when there is nothing to do. */
  readonly commands: readonly string[];
  readonly since: number | null;
  readonly at: number;
  readonly amount: Micros | null;
}

interface Described {
  readonly title: string;
  /** What it means for URLs and money. */
  readonly meaning: string;
  readonly commands: readonly string[];
  /** The title when it is over; null: nobody needs to hear of it. */
  readonly ended: string | null;
}

/** What to say of a transition; null when nobody needs to hear of it. */
export function describeTransition({ change, since, details }: Transition<Notice>, at: number): Draft | null {
  const { kind, account, watch, why, amount, examples, zone } = details;
  const described = describe(details, at - since);
  const of = { event: change, kind, account, watch, since, at, amount };
  const begin = formatInstantIn(zone, since);
  if (change === 'ended') {
    if (described.ended === null) return null;
    const lines = [`It lasted ${formatSpan(at - since)}, since ${begin}.`];
    return { ...of, title: described.ended, lines, commands: [] };
  }
  const lines = [
    `Since ${begin}.`,
    described.meaning,
    ...(why === null ? [] : [`Reason: ${why.replace(/[.]?$/, '.')}`]),
    ...(examples.length === 0 ? [] : [`For example: ${examples.join(' , ')}`]),
  ];
  return { ...of, title: described.title, lines, commands: described.commands };
}

const formatUrls = (count: number | null): string => (count === 1 ? '1 URL' : `${formatCount(count ?? 0)} URLs`);
const formatCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
const formatAmount = (amount: Micros | null): string => (amount === null ? 'an unknown amount' : formatTry(amount));

const DAY = 86_400_000;

function formatDays(days: number | null): string {
  if (days === null || days < 1) return 'less than a day';
  return days === 1 ? '1 day' : `${days} days`;
}

function describe(notice: Notice, lastsMs: number): Described {
  const { kind, account, watch, run, count, amount } = notice;
  const isDoubtful = amount !== null && amount > 0;
  switch (kind) {
    case 'run_failing':
      return {
        title: `${watch}: the last ${count === 1 ? 'run was' : `${count} runs were`} incomplete`,
        meaning:
          'New URLs of the sitemaps that cannot be read are not submitted. Nothing is charged for them. The next run tries again.',
        commands: ['courier status --check'],
        ended: `${watch}: a run was complete again`,
      };
    case 'run_held':
      return {
        title: `${watch}: a run waits for ${notice.isForMoney ? 'money or your approval' : 'approval'} of ${formatUrls(count)}, ${formatAmount(amount)}`,
        meaning: describeHeld(notice),
        commands: [`courier approve ${run}`, `courier reject ${run}`],
        ended: null,
      };
    case 'no_success':
      return {
        title: `${watch}: no complete run for ${lastsMs < 2 * DAY ? formatSpan(lastsMs) : formatDays(Math.floor(lastsMs / DAY))}`,
        meaning: 'Its new URLs are not submitted. Nothing is charged.',
        commands: ['courier status --check', 'courier watch list'],
        ended: `${watch}: a run was complete again`,
      };
    case 'kept_back':
      return {
        title: `${watch}: a cap or the balance keeps back ${formatUrls(count)}`,
        meaning:
          'They stay due and are bought by a later run, as far as the caps and the balance allow. Raise the cap or top up to buy them sooner.',
        commands: [`courier plan ${watch}`],
        ended: `${watch}: no URL is kept back any more`,
      };
    case 'quarantine':
      return {
        title: `${watch}: ${formatUrls(count)} in quarantine`,
        meaning: 'They failed too often or were rejected, and are not submitted again before you release them.',
        commands: [`courier quarantine list ${watch}`],
        ended: null,
      };
    case 'key_rejected':
      return {
        title: `${account}: the service rejects the API key`,
        meaning:
          'Nothing of the account is submitted or charged. Correct the key in its file or variable; work then continues by itself.',
        commands: ['courier doctor'],
        ended: `${account}: the API key works again`,
      };
    case 'account_suspended':
      return {
        title: `${account}: the funds do not suffice${amount === null ? '' : `, balance ${formatTry(amount)}`}`,
        meaning:
          'What is planned waits, and nothing is charged for it. Top up the account or raise the cap; work then continues by itself.',
        commands: ['courier status'],
        ended: `${account}: the funds suffice again`,
      };
    case 'account_held':
      return {
        title: `${account}: the service has jobs that the ledger does not know`,
        meaning:
          'Nothing is submitted, because it may have been bought already. The command records what those jobs have bought; work then continues.',
        commands: [`courier recover --account ${account}`],
        ended: `${account}: the ledger knows all jobs again`,
      };
    case 'account_stopped':
      return {
        title: `${account}: nothing is submitted`,
        meaning: 'What is planned waits, and nothing is charged for it.',
        commands: ['courier status'],
        ended: `${account}: batches are submitted again`,
      };
    case 'service_unavailable':
      return {
        title: `${account}: the service does not respond`,
        meaning:
          'What is planned is sent again by itself once it responds: nothing is lost or charged twice. If it lasts, ask the service.',
        commands: ['courier doctor'],
        ended: `${account}: the service responds again`,
      };
    case 'balance_low':
      return {
        title: `${account}: the balance of ${formatAmount(amount)} lasts for ${formatDays(count)}`,
        meaning: 'At the rate of the last seven days; then new URLs wait. Top up the account.',
        commands: ['courier tonight'],
        ended: `${account}: the balance suffices again`,
      };
    case 'price_changed':
      return describePrice(notice);
    case 'needs_review':
      return {
        title: `${account}: ${count === 1 ? '1 batch needs' : `${count} batches need`} your review${isDoubtful ? `, ${formatTry(amount ?? ZERO)} may have been charged` : ''}`,
        meaning: isDoubtful
          ? 'Nothing of that is sent again, and it counts against the caps until you decide. Ask the service first.'
          : 'Nothing was charged for that, and it is not sent again before you decide. Ask the service first.',
        commands: ['courier batches list --state needs_review'],
        ended: `${account}: no batch needs review any more`,
      };
  }
}

function describePrice({ account, price }: Notice): Described {
  if (price === null) throw new RangeError('a changed price without a price');
  const { service, before, after, configured, urls, cost, costBefore } = price;
  const how = after > before ? 'rose' : 'fell';
  const meaning = [
    ...(urls === 0 ? [] : [`The next runs cost about ${formatTry(cost)} in place of ${formatTry(costBefore)}.`]),
    configured === null
      ? 'Caps and plans count with it already.'
      : `"price_per_url" is ${formatTry(configured)}; caps and plans count the higher of both. Correct it once you have seen this.`,
  ];
  return {
    title: `${account}: the price of a URL (${service}) ${how} from ${formatTry(before)} to ${formatTry(after)}`,
    meaning: meaning.join(' '),
    commands: ['courier tonight'],
    ended: null,
  };
}

function describeHeld({ count, allowed, isForMoney }: Notice): string {
  const some =
    allowed === null || allowed >= (count ?? 0)
      ? ''
      : allowed === 0
        ? ' None of it fits the caps and the balance now.'
        : ` The caps and the balance allow ${formatCount(allowed)} of them now; the others follow in later runs.`;
  return isForMoney
    ? `Nothing of it is bought yet.${some} Top up or raise the cap, and it goes on by itself; or approve what is allowed now, or reject it.`
    : `Nothing of it is bought before you approve it.${some}`;
}

/** That nothing can be recorded, so that nothing is sent; `trouble` null: that it is over, since `since`. */
export function describeLedger(trouble: { readonly why: string } | null, since: number, at: number): Draft {
  const of = { kind: 'ledger_unwritable', account: null, watch: null, since, at, amount: null } as const;
  const begin = formatInstant(since);
  if (trouble === null) {
    const lines = [`It lasted ${formatSpan(at - since)}, since ${begin}.`];
    return { ...of, event: 'ended', title: 'The ledger can be written again', lines, commands: [] };
  }
  const meaning = 'Nothing is submitted or charged before it can be recorded.';
  const lines = [`Since ${begin}.`, meaning, `Reason: ${trouble.why}`];
  return { ...of, event: 'began', title: 'The ledger cannot be written', lines, commands: ['courier doctor'] };
}

/** What `courier notify test` sends. */
export function createTestMessage(installation: Installation, at: number): Message {
  return {
    ...{ event: 'test', kind: null, account: null, watch: null, since: null, at, amount: null, installation },
    title: 'This is a test of sitemap-courier',
    lines: ['This channel works: it gets a message when something is wrong, and one when it is over.'],
    commands: ['courier status'],
  };
}
