import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Account, Watch } from '../../config/config.ts';
import type { Stop } from '../../ledger/accounts/stops.ts';
import type { OverdueJob } from '../../ledger/jobs/overdue-jobs.ts';
import type { EarlierBatches } from '../../ledger/reports/earlier-work.ts';
import type { BatchLine } from '../../ledger/reports/lists.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { formatNewPrice, type NewPrice } from '../../submission/new-price.ts';
import { isAccountHold, isWantOfMoney, type Reason, renderReason, withoutStop } from '../../submission/reason.ts';
import { isKnownState } from '../../submission/states.ts';
import type { CheckResult, WatchResult } from '../../temporal-api/workflows.ts';
import { formatCounted } from './format.ts';
import { formatDelay } from './politeness.ts';

export interface Notices {
  /** What you must know beyond the numbers: what happened, what it means, what to do. */
  readonly sentences: readonly string[];
  readonly exitCode: ExitCode;
}

export interface NoticeInput {
  readonly check?: CheckResult;
  /** The batches of the run that need review. */
  readonly review?: readonly BatchLine[];
  /** Its batches that the service accepted with a contradiction, or whose job has an unknown state. */
  readonly remarked?: readonly BatchLine[];
  /** What earlier runs of the watch left without a response. */
  readonly earlier?: EarlierBatches | null;
  /** What a URL of its service level costs, where that has changed. */
  readonly newPrice?: NewPrice | null;
}

/** Reads a run's result for people and for the exit code. */
export function listNotices(
  watch: Watch,
  result: WatchResult,
  { check, review = [], remarked = [], earlier = null, newPrice = null }: NoticeInput = {},
): Notices {
  const { crawl, counts, plan, report, decision } = result;
  const sentences: string[] = [];
  const codes: ExitCode[] = [];
  const add = (code: ExitCode, sentence: string) => {
    codes.push(code);
    sentences.push(`${watch.id}: ${sentence}`);
  };
  if (!crawl.complete) {
    const why = crawl.problems.length > 0 ? crawl.problems : ['a sitemap could not be read to its end'];
    const meaning =
      counts.found === 0
        ? 'Nothing was submitted or charged.'
        : 'What was read was used; nothing counts as gone. The next run reads it again.';
    const problems = why.map((each) => each.replace(/\.$/, '')).join('; ');
    add(EXIT.partial, `the crawl is incomplete: ${problems}. ${meaning} Check the address, then run again.`);
  } else if (counts.found === 0) {
    const why = counts.skipped > 0 ? `all ${formatCounted(counts.skipped, 'URL')} are out of scope` : 'it lists no URL';
    add(
      EXIT.partial,
      `${watch.sources.join(', ')}: ${why}. Nothing was submitted or charged. ` +
        'Check that it is the right sitemap, and "hosts", "include" and "exclude" of the watch.',
    );
  }
  // A plan says so itself.
  if (report !== null && isAdoption(watch, result)) {
    const adopted = formatCounted(counts.found, 'URL');
    add(
      EXIT.done,
      `${adopted} adopted without buying them: a first run takes what is there as known (first_run: baseline).`,
    );
  }
  for (const doubt of crawl.doubts ?? []) add(EXIT.done, `${doubt.replace(/\.$/, '')}.`);
  for (const delay of crawl.delays ?? []) add(EXIT.done, formatDelay(delay));
  for (const rule of crawl.unmatchedRules) add(EXIT.done, formatUnmatchedRule(rule));
  if (decision === 'rejected') add(EXIT.guard, 'the run was rejected. Nothing of it was submitted or charged.');
  if (plan !== null && plan.held > 0) {
    add(
      EXIT.balanceOrCap,
      `${formatCounted(plan.held, 'URL')} held back: ${plan.heldReason}. A later run plans them when the cap allows it.`,
    );
  }
  if (newPrice !== null && plan !== null && plan.urls > 0) add(EXIT.done, `${formatNewPrice(newPrice)}.`);
  if (report !== null && report.failed > 0) {
    add(
      EXIT.partial,
      `${formatCounted(report.failed, 'URL')} failed at the service. They are submitted again as "retry_failed" allows, ` +
        'then quarantined.',
    );
  }
  if (report !== null && report.quarantined > 0) {
    add(
      EXIT.partial,
      `${formatCounted(report.quarantined, 'URL')} in quarantine: they are not submitted again until you release them ` +
        `("courier quarantine list --watch ${watch.id}").`,
    );
  }
  const withoutResult = report?.withoutResult ?? 0;
  if (withoutResult > 0) add(EXIT.partial, formatWithoutResult(withoutResult, report?.withoutResultBatch ?? null));
  if (report !== null && report.unanswered > 0) {
    add(
      EXIT.balanceOrCap,
      `${formatCounted(report.unanswered, 'batch', 'batches')} not accepted when the run ended. They stay planned under their ` +
        'keys, the dispatcher goes on with them, and the next run crawls as scheduled. "courier status" says what they wait for.',
    );
  }
  if (earlier !== null) for (const [code, sentence] of describeEarlier(earlier)) add(code, sentence);
  for (const batch of review) add(EXIT.partial, formatReview(batch));
  for (const batch of remarked.slice(0, SHOWN_REMARKS)) add(EXIT.done, formatRemark(batch));
  if (remarked.length > SHOWN_REMARKS) {
    const more = formatCounted(remarked.length - SHOWN_REMARKS, 'more batch', 'more batches');
    add(EXIT.done, `${more} with such a remark: "courier batches show BATCH" has it.`);
  }
  if (review.length === 0 && report !== null && report.stopped > 0) {
    add(
      EXIT.partial,
      `${formatCounted(report.stopped, 'URL')} in batches that need review: nothing more of them is sent. See ` +
        '"courier batches list --state needs_review".',
    );
  }
  if (check !== undefined && check.stopped !== null)
    add(EXIT.balanceOrCap, `the index checks ended early: ${check.stopped}.`);
  return { sentences, exitCode: pickWorst(codes) };
}

const SHOWN_REMARKS = 5;

/** What the service said of an accepted batch that you must know: another charge than planned, or an unknown state. */
const formatRemark = ({ batch, urls, reference, reason }: BatchLine): string =>
  `batch ${batch} (${formatCounted(urls, 'URL')}${reference === null ? '' : `; reference ${reference}`}) was accepted, but: ` +
  `${(reason ?? 'no reason was recorded').replace(/\.$/, '')}.`;

/** Reported by every run until it is answered, also by one that found nothing to buy. */
function describeEarlier(earlier: EarlierBatches): [ExitCode, string][] {
  const { needsReview } = earlier;
  if (needsReview === 0) return describeWaiting(earlier);
  const which = formatCounted(needsReview, 'batch of earlier runs needs', 'batches of earlier runs need');
  const review =
    `${which} review: nothing more of ${needsReview === 1 ? 'it' : 'them'} is sent until you decide. ` +
    '"courier batches list --state needs_review" says why.';
  return [...describeWaiting(earlier), [EXIT.partial, review]];
}

function describeWaiting({ batches, urls, account }: EarlierBatches): [ExitCode, string][] {
  const left = `${formatCounted(batches, 'batch', 'batches')} of earlier runs (${formatCounted(urls, 'URL')})`;
  const say = (reason: Reason) => renderReason(reason).replace(/\.$/, '');
  const { suspended, keyRejected } = account;
  if (suspended?.code === 'history_hold') return [[EXIT.partial, `the account is held: ${say(suspended)}.`]];
  if (batches === 0) return [];
  const waiting = `${left} ${batches === 1 ? 'waits' : 'wait'}`;
  const rest =
    'What was sent before may be charged already; it keeps its key, is charged once at most, and a later run sends it.';
  if (keyRejected !== null) return [[EXIT.keyRefused, `${waiting}: ${say(keyRejected)}. ${rest}`]];
  if (suspended !== null) {
    return [[toStopCode(suspended), `${waiting}: ${say(suspended)}. ${rest}`]];
  }
  return [
    [EXIT.partial, `${waiting} for another attempt ("courier batches list --state planned" has the reasons). ${rest}`],
  ];
}

/** What an account that sends nothing ends a command with. A balance that cannot be read may be read later. */
export function toStopCode(suspended: Reason): ExitCode {
  if (isWantOfMoney(suspended)) return EXIT.balanceOrCap;
  return isAccountHold(suspended) ? EXIT.partial : EXIT.transient;
}

/**
 * The commands that decide on a held run; `once`: " --once" where no worker would take them. What a removed watch found cannot
 * be bought: its settings are gone.
 */
export const formatHowToDecide = (run: string, isConfigured: boolean, once = ''): string =>
  isConfigured
    ? `decide: courier approve ${run}${once}   or   courier reject ${run}${once}`
    : `end it: courier reject ${run}${once}   To approve it, put its watch back into the configuration first.`;

/** What it means that a job ended and no result of some of its URLs could be read. `batch`: the last one with some of them. */
export const formatWithoutResult = (urls: number, batch: number | null): string =>
  `the job ended without a result that could be read for ${formatCounted(urls, 'URL')}. ${urls === 1 ? 'It counts' : 'They count'} ` +
  'as bought: not submitted again until the page changes. ' +
  `${batch === null ? '"courier batches show"' : `"courier batches show ${batch}"`} shows what the service said of ` +
  'each, and what of it could not be read. A word that is not understood belongs into status_map of the account: the job is then read ' +
  'again by itself (docs/guides/other-services.md). Where it said nothing, ask the service.';

/** What a rule of the scope that matched nothing means. It may be right, so it is a warning. */
export function formatUnmatchedRule(rule: string): string {
  const [kind = '', pattern = ''] = rule.split(/ (.*)/s);
  const meaning = { exclude: 'It leaves nothing out', include: 'It lets nothing in', host: 'It lets nothing in' }[kind];
  return `${kind} "${pattern}" matches no URL of the sitemaps. ${meaning}. Check how it is written, or remove it.`;
}

/** What a service last answered that nothing is sent to yet, when, and until when that waits. */
export const formatServiceWait = ({ reason, until }: Stop<'unanswered'>): string =>
  `${withoutStop(reason.text)} (last answer ${formatInstant(reason.at)}; asked again ${formatInstant(until ?? reason.at)})`;

/** What an open job means that is no longer polled, and what ends it. */
export function formatOverdue(
  { batch, reference, watch, urls, state, acceptedAt }: OverdueJob,
  zone: string,
  { id, terminalStates }: Pick<Account, 'id' | 'terminalStates'>,
): string {
  const word = isKnownState(state, terminalStates)
    ? ''
    : `"${state}" is no word that can be read: say under accounts.${id}.status_map.job what it means, and the job is polled again by ` +
      'itself. If it means no end: ';
  const ask = word === '' ? 'Ask' : 'ask';
  return (
    `job ${reference} (batch ${batch} of ${watch}, ${formatCounted(urls, 'URL')}) is still ${state} and no longer followed: the ` +
    `service accepted it at ${formatInstantIn(zone, acceptedAt)}. Its URLs count as submitted and are not bought again. ${word}${ask} the service ` +
    `what became of it, then run "courier batches resolve ${batch}" with --release (its URLs without a result are due ` +
    'again, and charged again) or --leave.'
  );
}

/** Whether a first run took what is there as known, in place of buying it. */
const isAdoption = ({ firstRun }: Watch, { counts, plan }: WatchResult): boolean =>
  counts.firstRun && firstRun === 'baseline' && counts.new > 0 && plan !== null && plan.urls + plan.held === 0;

/** Why a batch needs review, how to find it at the service, and the command that answers. */
export function formatReview(batch: BatchLine): string {
  const { urls, tag, key, reason, reference, isUncharged } = batch;
  const known = [
    ...(reference === null ? [] : [`reference ${reference}`]),
    ...(tag === null ? [] : [`tag ${tag}`]),
    ...(key === null ? [] : [`key ${key}`]),
  ].join(', ');
  const resolve = `"courier batches resolve ${batch.batch}"`;
  const next = isUncharged
    ? `Once the cause is settled, run ${resolve} with --release: its URLs are due again, and charged once. Or with --leave`
    : `Find out at the service whether it was charged ("courier batches show ${batch.batch}" lists its URLs), then run ${resolve} with ` +
      '--charged REFERENCE, --release (not charged) or --leave';
  return (
    `batch ${batch.batch} (${formatCounted(urls, 'URL')}${known === '' ? '' : `; ${known}`}) needs review: ` +
    `${(reason ?? 'no reason was recorded').replace(/\.$/, '')}. Nothing more of it is sent. ${next}.`
  );
}
