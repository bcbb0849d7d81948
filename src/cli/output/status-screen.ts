import { formatTry, type Micros, negateMicros, sumMicros, ZERO } from '../../../contract/money.ts';
import type { Account, Watch } from '../../config/config.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import type { AccountTotals } from '../../ledger/reports/totals.ts';
import type { WatchState } from '../../ledger/reports/watch-states.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { formatCharge, formatCount, formatCounted, formatDecision, NOT_KNOWN } from './format.ts';
import { formatUnmatchedRule, formatWithoutResult } from './notices.ts';
import type { Problem } from './records/status.ts';

/** A watch on the page. */
export interface WatchOnPage {
  /** Undefined: it is not in the configuration any more. */
  readonly watch: Watch | undefined;
  readonly state: WatchState;
  readonly nextRunAt: number | null;
  /** Since when it fails; null when it does not. What it cannot read stands among what needs you. */
  readonly failing: string | null;
  /** Something of it stands among what needs you. */
  readonly needsYou: boolean;
}

/** Lines of watches that a screen has room for, beside what needs you and the money. */
const SHOWN_WATCHES = 20;

/** One line a watch, those in trouble first; of many only those, and how many more there are. */
export function listWatchLines(watches: readonly WatchOnPage[], all: boolean): string[] {
  const ranked = watches.map((each) => ({ each, rank: rankWatch(each) })).sort((a, b) => a.rank - b.rank);
  const shown = all || watches.length <= SHOWN_WATCHES ? ranked : ranked.filter(({ rank }) => rank < WELL);
  const fitting = all ? shown : shown.slice(0, SHOWN_WATCHES);
  const lines = fitting.flatMap(({ each }) => [formatWatch(each), ...listDetails(each)]);
  const left = ranked.length - fitting.length;
  if (left === 0) return lines;
  const troubled = shown.length - fitting.length;
  const which = troubled === 0 ? 'all well' : `${formatCount(troubled)} of them not well`;
  const more = fitting.length === 0 ? formatCounted(left, 'watch', 'watches') : `… and ${formatCount(left)} more`;
  return [...lines, `  ${more}, ${which}: courier status --all`];
}

const WELL = 3;

function rankWatch({ state: { figures, held }, failing, needsYou }: WatchOnPage): number {
  if (held.length > 0) return 0;
  if (failing !== null) return 1;
  return needsYou || figures.keptBackUrls > 0 || figures.quarantinedUrls > 0 ? 2 : WELL;
}

/** Its last real run, its next one, and what waits and why. */
function formatWatch({ watch, state, nextRunAt, failing }: WatchOnPage): string {
  const { id, figures, held } = state;
  const zone = getTimeZone(watch);
  const next =
    watch === undefined
      ? 'not in the configuration any more'
      : `next run ${nextRunAt === null ? describeNoRun(watch) : formatInstantIn(zone, nextRunAt)}`;
  const reason = describeKeptBack(figures);
  const [waiting] = held;
  const { quarantinedUrls } = figures;
  const parts = [
    ...(waiting === undefined ? [] : [`waits for you since ${formatInstantIn(zone, waiting.since)}`]),
    ...(failing === null ? [] : [failing]),
    formatLast(state, zone),
    ...(reason === null ? [] : [reason]),
    ...(quarantinedUrls === 0 ? [] : [`${formatCounted(quarantinedUrls, 'URL')} in quarantine`]),
    next,
  ];
  return `  ${id}: ${parts.join('; ')}`;
}

/** What a cap or the balance kept back from the last run, and why. */
function describeKeptBack({ keptBackUrls, keptBackReason }: WatchState['figures']): string | null {
  if (keptBackUrls === 0) return null;
  const why = keptBackReason === null ? '' : `: ${keptBackReason.replace(/; the others stay due$/, '')}`;
  return `${formatCounted(keptBackUrls, 'URL')} ${keptBackUrls === 1 ? 'waits' : 'wait'}${why}`;
}

function describeNoRun({ schedule, paused }: Watch): string {
  if (schedule === null) return 'by "courier run": no schedule';
  return paused ? 'none: paused' : NOT_KNOWN;
}

function formatLast({ last, held }: WatchState, zone: string): string {
  if (last === null) return 'no run yet';
  const { run, summary } = last;
  const { endState, complete, startedAt, decision, decidedBy, decidedAt } = run;
  const isHeld = held.some((each) => each.run === run.run);
  const how = endState === null ? (isHeld ? 'held' : 'active') : complete === false ? 'incomplete' : endState;
  const decided = formatDecision(decision, decidedBy, decidedAt, zone);
  const { found, new: fresh, planned, failed } = summary;
  const counts = [
    `${formatCount(found)} found`,
    ...(fresh === 0 ? [] : [`${formatCount(fresh)} new`]),
    ...(planned === 0 ? [] : [`${formatCount(planned)} planned`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
  ];
  return `last run ${formatInstantIn(zone, startedAt)} ${how}${decided}: ${counts.join(', ')}, ${formatCharge(summary)}`;
}

/** What else you should know of its last run. */
function listDetails({ state: { last } }: WatchOnPage): string[] {
  if (last === null) return [];
  const { withoutResult, withoutResultBatch, unmatchedRules } = last.summary;
  return [
    ...(withoutResult > 0 ? [`    ${formatWithoutResult(withoutResult, withoutResultBatch)}`] : []),
    ...unmatchedRules.map((rule) => `    ${formatUnmatchedRule(rule)}`),
  ];
}

/** What a screen has room for; the rest is counted. */
const SHOWN_PROBLEMS = 10;

/** Subjects that are named of those with the same problem. */
const NAMED_SUBJECTS = 3;

/** What needs you; the same problem of several is named once, unless each is to be decided by itself. */
export function listProblemLines(problems: readonly Problem[], all: boolean): string[] {
  if (all) return problems.flatMap(formatProblem);
  const groups = [
    ...Map.groupBy(problems, ({ subject, problem, lines }) =>
      lines === undefined ? problem : `${subject}: ${problem}`,
    ).values(),
  ];
  const left = groups.slice(SHOWN_PROBLEMS).reduce((sum, { length }) => sum + length, 0);
  return [
    ...groups.slice(0, SHOWN_PROBLEMS).flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const named = group.slice(0, NAMED_SUBJECTS).map(({ subject }) => subject);
      const more = group.length - named.length;
      const subject = `${named.join(', ')}${more === 0 ? '' : ` and ${formatCount(more)} more`}`;
      return formatProblem({ ...first, subject });
    }),
    ...(left === 0 ? [] : [`  … and ${formatCount(left)} more: courier status --check`]),
  ];
}

const formatProblem = ({ subject, problem, lines = [problem] }: Problem): string[] =>
  lines.map((line, at) => (at === 0 ? `  ${subject}: ${line}` : `    ${line}`));

/** The money of an account, against its caps and its floor, and where its batches stand. */
export function listAccountLines({ id, spend }: Account, totals: AccountTotals): string[] {
  const { waiting, inDoubt, open, needsReview, oldestInDoubtAt, unknownChargeUrls, unknownChargeEstimate } = totals;
  const since = oldestInDoubtAt === null ? '' : ` (since ${formatInstant(oldestInDoubtAt)})`;
  const unknown =
    unknownChargeUrls === 0
      ? []
      : [
          `    charge unknown for ${formatCounted(unknownChargeUrls, 'URL')}: not in these sums${
            unknownChargeEstimate === ZERO
              ? ''
              : `; the caps count ${formatTry(unknownChargeEstimate)} for them, at the configured price`
          }`,
        ];
  return [
    `  ${id}: balance ${formatBalance(totals)}; committed ${formatTry(totals.committed)}${formatLeft(totals, spend.balanceFloor)}`,
    `    charged today ${formatAgainst(totals.chargedToday, spend.perDay)}, this month ${formatAgainst(totals.chargedThisMonth, spend.perMonth)}; ` +
      `batches: ${formatCount(waiting)} planned, ${formatCount(inDoubt)} in doubt${since}, ${formatCount(open)} open, ` +
      `${formatCount(needsReview)} need review`,
    ...unknown,
  ];
}

const formatAgainst = (amount: Micros, cap: Micros | null): string =>
  cap === null ? formatTry(amount) : `${formatTry(amount)} of ${formatTry(cap)}`;

function formatLeft({ left, chargedSinceBalance, committed }: AccountTotals, floor: Micros): string {
  if (left === null) return '';
  if (floor !== ZERO) {
    const above = sumMicros(left, negateMicros(floor));
    return above < ZERO
      ? `; ${formatTry(negateMicros(above))} below its floor of ${formatTry(floor)}`
      : `; ${formatTry(above)} left above its floor of ${formatTry(floor)}`;
  }
  if (left < ZERO) return `; ${formatTry(negateMicros(left))} short`;
  return chargedSinceBalance === ZERO && committed === ZERO ? '' : `; ${formatTry(left)} left`;
}

function formatBalance({ balance, balanceAt, chargedSinceBalance }: AccountTotals): string {
  if (balance === null) return NOT_KNOWN;
  const since = chargedSinceBalance === ZERO ? '' : `, before ${formatTry(chargedSinceBalance)} charged since`;
  return `${formatTry(balance)} as of ${formatInstant(balanceAt ?? 0)}${since}`;
}
