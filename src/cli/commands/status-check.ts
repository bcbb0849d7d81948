import { existsSync } from 'node:fs';
import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import type { Account, Watch } from '../../config/config.ts';
import { listNextRuns } from '../../config/next-runs.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { explainUnreadJobs } from '../../connector/explain-unread.ts';
import { hasServer } from '../../connector/state-folder.ts';
import { isLasting } from '../../database/database.ts';
import { findStop } from '../../ledger/accounts/stops.ts';
import { describeLedgerFailure } from '../../ledger/describe-failure.ts';
import { listOverdueJobs, type OverdueJob } from '../../ledger/jobs/overdue-jobs.ts';
import type { AccountStatus } from '../../ledger/money/account-status.ts';
import { getStatusAsConfigured } from '../../ledger/money/account-status.ts';
import { listUndelivered } from '../../ledger/notices/queue.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { probeLedger } from '../../ledger/probe-ledger.ts';
import { getOldestDue } from '../../ledger/reports/account-figures.ts';
import { type AccountTotals, getAccountTotals, type RunLine } from '../../ledger/reports/totals.ts';
import { MAX_RUNS } from '../../ledger/reports/watch-figures.ts';
import { listWatchStates, type WatchState } from '../../ledger/reports/watch-states.ts';
import { describeRemedy } from '../../submission/hold-question.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { describeHeld } from '../output/held.ts';
import { formatHowToDecide, formatOverdue, formatServiceWait, toStopCode } from '../output/notices.ts';
import { type Problem, toProblemRecord } from '../output/records/status.ts';
import type { CommandContext } from '../with-ledger.ts';
import { findServerProblems } from './server-problems.ts';

/** Prints what needs you, and ends with the code of the worst of it. From the ledger and the Temporal server. */
export async function checkStatus(output: Output, context: CommandContext): Promise<Ending> {
  const { config, ledger } = context;
  const { states, removed } = await listWatchStates(ledger, [...config.watches.values()]);
  const problems = [
    ...(await findLedgerProblems(ledger)),
    ...(await findServerProblems(context)),
    ...(await findUndelivered(context)),
    ...listMissingKeys(config),
    ...listAllProblems(context, states, removed),
  ];
  let needsReview = 0;
  for (const account of config.accounts.values()) {
    const totals = await getAccountTotals(ledger, account.id, account.pricePerUrl);
    needsReview += totals.needsReview;
    problems.push(...(await listAccountProblems({ config, ledger }, account, totals)));
  }
  for (const problem of problems) {
    output.record(toProblemRecord(problem));
    report(output, problem.exitCode, [`${problem.subject}: ${problem.problem}`]);
  }
  const watched = formatCounted(config.watches.size, 'watch', 'watches');
  if (problems.length === 0)
    report(output, EXIT.done, [`${watched}, ${formatCounted(config.accounts.size, 'account')}: nothing needs you.`]);
  return {
    exitCode: pickWorst(problems.map(({ exitCode }) => exitCode)),
    summary: {
      held: [...states, ...removed].flatMap(({ held }) => held.map(({ run }) => run)),
      needs_review: needsReview,
    },
  };
}

/** A full disk is read as well as any other. A Postgres is watched by its own monitor, and may be a copy that only reads. */
async function findLedgerProblems(ledger: Ledger): Promise<Problem[]> {
  const failure = ledger.db.dialect === 'sqlite' ? await probeLedger(ledger) : null;
  if (failure === null) return [];
  const exitCode = isLasting(failure.failure) ? EXIT.partial : EXIT.transient;
  return [{ subject: 'ledger', exitCode, problem: describeLedgerFailure(failure) }];
}

/** Key files that are gone. A key of the environment is the worker's, and this command need not have it. */
const listMissingKeys = ({ accounts }: CommandContext['config']): Problem[] =>
  [...accounts.values()].flatMap(({ id, apiKey }) =>
    !('file' in apiKey) || existsSync(apiKey.file)
      ? []
      : [
          {
            subject: id,
            exitCode: EXIT.usage,
            problem: `the key file ${apiKey.file} is gone, so nothing is sent or charged. Put it back`,
          },
        ],
  );

/** Channels that take no messages: nobody is notified of problems there. */
async function findUndelivered({ config, ledger }: Known): Promise<Problem[]> {
  const failing = await listUndelivered(ledger, [...config.notify.channels.keys()]);
  return failing.map(({ channel, since, failure }) => ({
    subject: channel,
    exitCode: EXIT.partial,
    problem: `a message of ${formatInstant(since)} to this channel is not delivered: ${failure}. Correct the channel: courier notify test`,
  }));
}

/** What needs you of all watches, in their order; those that left the configuration come last. */
export const listAllProblems = (
  { config, file, ledger }: CommandContext,
  states: readonly WatchState[],
  removed: readonly WatchState[],
): Problem[] => {
  const once = hasServer(config, file) ? '' : ' --once';
  return [
    ...states.flatMap((state) => listWatchProblems(config.watches.get(state.id), state, ledger.now(), once)),
    ...removed.flatMap((state) => listWatchProblems(undefined, state, ledger.now(), once)),
  ];
};

export async function findWatchProblems(ledger: Ledger, watch: Watch): Promise<Problem[]> {
  const { states } = await listWatchStates(ledger, [watch]);
  return states.flatMap((state) => listWatchProblems(watch, state, ledger.now()));
}

/** `watch` undefined: it is not in the configuration any more. */
export function listWatchProblems(watch: Watch | undefined, state: WatchState, now: number, once = ''): Problem[] {
  const problems = listHeldProblems(state, watch !== undefined, once);
  if (watch === undefined) return problems;
  const add = (exitCode: ExitCode, problem: string) => problems.push({ subject: watch.id, exitCode, problem });
  const failing = describeFailing(watch, state);
  if (failing !== null) add(EXIT.partial, `${failing.since}: ${failing.why}. Check the address, then run again`);
  // A run that is held is the one that would be late, and one that is under way may wait for its account.
  const isUnderWay = state.last?.run.endState === null && now - state.last.run.startedAt <= GRACE_MS;
  const isHeld = problems.length > 0 && failing === null;
  const late = isHeld || isUnderWay ? null : findLateness(watch, state.figures.runs, now);
  if (late !== null) add(EXIT.partial, late);
  return problems;
}

const listHeldProblems = ({ id, held }: WatchState, isConfigured: boolean, once: string): Problem[] =>
  held.map((each) => {
    const { question, remedy, exitCode } = describeHeld(each);
    const sample = each.sample.length === 0 ? [] : [`For example ${each.sample.join(', ')}`];
    const ends = remedy === null ? [] : [remedy];
    const decide = formatHowToDecide(each.run, isConfigured, once);
    const lines = [question, ...sample, ...ends, decide.replace(/^./, (first) => first.toUpperCase())];
    return { subject: id, exitCode, problem: lines.join('. '), lines };
  });

/** Runs of watches that are not configured any more and still wait for a decision. */
export async function findRemovedProblems({ config, ledger }: Known): Promise<Problem[]> {
  const { removed } = await listWatchStates(ledger, [...config.watches.values()]);
  return removed.flatMap((state) => listWatchProblems(undefined, state, ledger.now()));
}

type Known = Pick<CommandContext, 'config' | 'ledger'>;

/** Since when the runs of a watch are incomplete or break off, how many they are, and which sitemaps are not read; null when all is well. */
export function describeFailing(watch: Watch, { figures, unread }: WatchState): { since: string; why: string } | null {
  const { lastRun, failedRuns, failingSince, lastSuccessAt } = figures;
  if (lastRun === null || lastRun.succeeded || failingSince === null) return null;
  const ended = figures.runs.find(({ run }) => run === lastRun.run);
  const at = (instant: number) => formatInstantIn(getTimeZone(watch), instant);
  const often = `${formatCounted(failedRuns, 'run')}${failedRuns === MAX_RUNS ? ' or more' : ''}`;
  const why =
    unread.length > 0
      ? unread.map(({ sitemap, message }) => `${sitemap}: ${message.replace(/\.$/, '')}`).join('; ')
      : ended?.endState === 'finished'
        ? 'not every sitemap could be read'
        : `the last run ended as ${ended?.endState ?? 'abandoned'}`;
  const good =
    lastSuccessAt === null ? 'no run was complete yet' : `the last complete run ended on ${at(lastSuccessAt)}`;
  return { since: `failing since ${at(failingSince)}, ${often}`, why: `${why}; ${good}` };
}

/** A run may be late by its own duration and a restart. */
const GRACE_MS = 6 * 3_600_000;

/** That no run has finished for longer than the schedule explains. */
function findLateness({ schedule, paused }: Watch, runs: readonly RunLine[], now: number): string | null {
  if (schedule === null || paused) return null;
  const last = runs.find(({ endState }) => endState === 'finished' || endState === 'rejected');
  if (last === undefined) {
    return `no run has finished yet, although its schedule is "${schedule.cron}" ${schedule.timezone}. Is "courier worker" running, or cron?`;
  }
  const next = listNextRuns(schedule, 8);
  const gaps = next.slice(1).map((at, index) => at - (next[index] ?? at));
  const longest = Math.max(0, ...gaps);
  if (now - last.startedAt <= longest + GRACE_MS) return null;
  return (
    `no run since ${formatInstantIn(schedule.timezone, last.startedAt)}, although its schedule is "${schedule.cron}" ` +
    `${schedule.timezone}. Is "courier worker" running, or cron?`
  );
}

/** Every run wakes the dispatcher of its account, also one that was terminated at the Temporal server. */
const WAKE = 'Nothing of them is charged. Any run of the account sends them: courier run';

const TOP_UP = 'Top up, and it goes on by itself';

/** A batch without an outcome is sent again within minutes while the service responds. */
const LONG_IN_DOUBT_MS = 3_600_000;

export async function findAccountProblems(known: Known, account: Account): Promise<Problem[]> {
  return listAccountProblems(known, account, await getAccountTotals(known.ledger, account.id, account.pricePerUrl));
}

export async function listAccountProblems(
  { config, ledger }: Known,
  account: Account,
  { needsReview, oldestInDoubtAt, inDoubt, open, waiting, unread: unreadJobs }: AccountTotals,
  known?: { readonly status: AccountStatus; readonly overdue: readonly OverdueJob[] },
): Promise<Problem[]> {
  const { id, baseUrl, tracking } = account;
  const problems: Problem[] = [];
  const add = (exitCode: ExitCode, problem: string) => problems.push({ subject: id, exitCode, problem });
  const { keyRejected, suspended } = known?.status ?? (await getStatusAsConfigured(ledger, { id, baseUrl }));
  if (keyRejected !== null) add(EXIT.keyRefused, `the service rejects the key: ${renderReason(keyRejected)}`);
  if (suspended !== null) {
    const remedy = suspended.code === 'insufficient_balance' ? TOP_UP : describeRemedy([suspended]);
    const why = renderReason(suspended);
    add(toStopCode(suspended), `it sends nothing: ${remedy === null ? why : `${why.replace(/[.]$/, '')}. ${remedy}`}`);
  }
  if (needsReview > 0) {
    const which = formatCounted(needsReview, 'batch needs', 'batches need');
    add(EXIT.partial, `${which} review: courier batches list --state needs_review`);
  }
  const { standard, fast } = tracking;
  const timeouts = { standard: standard.timeoutMs, fast: fast.timeoutMs };
  const overdue = known?.overdue ?? (open === 0 ? [] : await listOverdueJobs(ledger, id, timeouts));
  for (const job of overdue) {
    add(EXIT.partial, formatOverdue(job, getTimeZone(config.watches.get(job.watch)), account));
  }
  const unread = unreadJobs === 0 ? null : await explainUnreadJobs(ledger, account);
  if (unread !== null) add(EXIT.partial, unread);
  if (oldestInDoubtAt !== null && ledger.now() - oldestInDoubtAt > LONG_IN_DOUBT_MS) {
    const which = formatCounted(inDoubt, 'batch', 'batches');
    add(
      EXIT.transient,
      `${which} without a known outcome since ${formatInstant(oldestInDoubtAt)}: the service may be down`,
    );
  }
  const wait = waiting === 0 ? null : await findStop(ledger.db, id, 'unanswered');
  if (wait !== null && ledger.now() - wait.since > LONG_IN_DOUBT_MS) {
    const which = formatCounted(waiting, 'batch waits', 'batches wait');
    add(EXIT.transient, `${which} since ${formatInstant(wait.since)}: ${formatServiceWait(wait)}`);
  }
  const dueAt = waiting === 0 || wait !== null || problems.length > 0 ? null : await getOldestDue(ledger, id);
  if (dueAt !== null && ledger.now() - dueAt > GRACE_MS) {
    const which = formatCounted(waiting, 'planned batch is', 'planned batches are');
    add(EXIT.transient, `${which} not sent since ${formatInstant(dueAt)}, and nothing holds them back. ${WAKE}`);
  }
  return problems;
}
