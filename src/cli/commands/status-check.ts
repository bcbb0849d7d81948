import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import type { Account, Watch } from '../../config/config.ts';
import { listNextRuns } from '../../config/next-runs.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { isLasting } from '../../database/database.ts';
import { describeLedgerFailure } from '../../ledger/describe-failure.ts';
import { listOverdueJobs } from '../../ledger/jobs/overdue-jobs.ts';
import { getStatusAsConfigured } from '../../ledger/money/status-as-configured.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { probeLedger } from '../../ledger/probe-ledger.ts';
import { listHeldRuns, listRemovedHeld } from '../../ledger/reports/held-runs.ts';
import { listSitemapProblems } from '../../ledger/reports/sitemap-problems.ts';
import { getAccountTotals, listRuns, type RunLine } from '../../ledger/reports/totals.ts';
import type { WatchId } from '../../submission/ids.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { formatHowToDecide, formatOverdue, toStopCode } from '../output/notices.ts';
import { type Problem, toProblemRecord } from '../output/records/status.ts';
import type { CommandContext } from '../with-ledger.ts';

/** Prints what needs you, and ends with the code of the worst of it. From the ledger alone. */
export async function checkStatus(output: Output, { config, ledger }: CommandContext): Promise<Ending> {
  const problems: Problem[] = await findLedgerProblems(ledger);
  for (const watch of config.watches.values()) problems.push(...(await findWatchProblems(ledger, watch)));
  problems.push(...(await findRemovedProblems({ config, ledger })));
  for (const account of config.accounts.values())
    problems.push(...(await findAccountProblems({ config, ledger }, account)));
  for (const problem of problems) {
    output.record(toProblemRecord(problem));
    report(output, problem.exitCode, [`${problem.subject}: ${problem.problem}`]);
  }
  const watched = formatCounted(config.watches.size, 'watch', 'watches');
  if (problems.length === 0)
    report(output, EXIT.done, [`${watched}, ${formatCounted(config.accounts.size, 'account')}: nothing needs you.`]);
  const held = problems.filter(({ exitCode }) => exitCode === EXIT.guard).map(({ subject }) => subject);
  const runs = (await Promise.all(held.map((id) => listHeldRuns(ledger, id as Watch['id'])))).flat();
  const totals = await Promise.all([...config.accounts.keys()].map((id) => getAccountTotals(ledger, id)));
  return {
    exitCode: pickWorst(problems.map(({ exitCode }) => exitCode)),
    summary: {
      held: runs.map(({ run }) => run),
      needs_review: totals.reduce((sum, { needsReview }) => sum + needsReview, 0),
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

export async function findWatchProblems(ledger: Ledger, watch: Watch): Promise<Problem[]> {
  const { id } = watch;
  const problems: Problem[] = [];
  const add = (exitCode: ExitCode, problem: string) => problems.push({ subject: id, exitCode, problem });
  problems.push(...(await findHeldProblems(ledger, id, true)));
  const runs = (await listRuns(ledger, id, 20)).filter(
    ({ endState }) => endState !== 'previewed' && endState !== 'recovered',
  );
  const last = runs.find(({ endedAt }) => endedAt !== null);
  if (last !== undefined && (last.endState !== 'finished' || last.complete === false))
    add(EXIT.partial, await describeBadRun(ledger, last, runs, watch));
  const late = findLateness(watch, runs, ledger.now());
  if (late !== null) add(EXIT.partial, late);
  return problems;
}

async function findHeldProblems(ledger: Ledger, watch: WatchId, isConfigured: boolean): Promise<Problem[]> {
  return (await listHeldRuns(ledger, watch)).map(({ run, reasons }) => {
    const why = reasons.map(renderReason).join('; ');
    const decide = formatHowToDecide(run, isConfigured).replace(/^./, (first) => first.toUpperCase());
    return { subject: watch, exitCode: EXIT.guard, problem: `a guard holds ${run} (${why}). ${decide}` };
  });
}

/** Runs of watches that are not configured any more and still wait for a decision. */
export async function findRemovedProblems({ config, ledger }: Known): Promise<Problem[]> {
  const removed = await listRemovedHeld(ledger, config.watches);
  return (await Promise.all(removed.map(({ id }) => findHeldProblems(ledger, id, false)))).flat();
}

type Known = Pick<CommandContext, 'config' | 'ledger'>;

/** What went wrong with the last run, and since when. */
async function describeBadRun(ledger: Ledger, last: RunLine, runs: readonly RunLine[], watch: Watch): Promise<string> {
  const good = runs.find(({ endState, complete }) => endState === 'finished' && complete === true);
  const at = (instant: number) => formatInstantIn(getTimeZone(watch), instant);
  const since = good === undefined ? 'no run was complete yet' : `the last complete run began on ${at(good.startedAt)}`;
  if (last.endState !== 'finished') return `the last run (${at(last.startedAt)}) ended as ${last.endState}; ${since}`;
  const unread = await listSitemapProblems(ledger, last.run, 3);
  const which = unread.map(({ sitemap, message }) => `${sitemap}: ${message.replace(/\.$/, '')}`).join('; ');
  return `not every sitemap could be read${which === '' ? '' : ` (${which})`}; ${since}. Check the address, then run again`;
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

/** A batch without an outcome is sent again within minutes while the service responds. */
const LONG_IN_DOUBT_MS = 3_600_000;

export async function findAccountProblems(
  { config, ledger }: Known,
  { id, baseUrl, pricePerUrl, tracking }: Account,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const add = (exitCode: ExitCode, problem: string) => problems.push({ subject: id, exitCode, problem });
  const { keyRejected, suspended } = await getStatusAsConfigured(ledger, { id, baseUrl });
  if (keyRejected !== null) add(EXIT.keyRefused, `the service rejects the key: ${renderReason(keyRejected)}`);
  if (suspended !== null) {
    add(toStopCode(suspended), `it sends nothing: ${renderReason(suspended)}`);
  }
  const { needsReview, oldestInDoubtAt, inDoubt } = await getAccountTotals(ledger, id, pricePerUrl);
  if (needsReview > 0) {
    const which = formatCounted(needsReview, 'batch needs', 'batches need');
    add(EXIT.partial, `${which} review: courier batches list --state needs_review`);
  }
  const { standard, fast } = tracking;
  for (const job of await listOverdueJobs(ledger, id, { standard: standard.timeoutMs, fast: fast.timeoutMs })) {
    add(EXIT.partial, formatOverdue(job, getTimeZone(config.watches.get(job.watch))));
  }
  if (oldestInDoubtAt !== null && ledger.now() - oldestInDoubtAt > LONG_IN_DOUBT_MS) {
    const which = formatCounted(inDoubt, 'batch', 'batches');
    add(
      EXIT.transient,
      `${which} without a known outcome since ${formatInstant(oldestInDoubtAt)}: the service may be down`,
    );
  }
  return problems;
}
