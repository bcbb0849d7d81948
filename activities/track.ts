import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { ApiError } from '../src/api-client/errors.ts';
import type { Settled } from '../src/ledger/jobs/assign-results.ts';
import { recordPoll } from '../src/ledger/jobs/record-poll.ts';
import { countOpenUrls, recordAllCompleted, settleJob } from '../src/ledger/jobs/settle-job.ts';
import { findAskedJob } from '../src/ledger/jobs/unread-jobs.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { alignToTick, freshSince, nextPoll, waitAfter } from '../src/submission/poll-schedule.ts';
import { isKnownState } from '../src/submission/states.ts';
import type { Unread } from '../src/submission/unread.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import type { Deps } from './deps.ts';
import { readOnceMore } from './read-once-more.ts';
import { readUrls } from './read-urls.ts';
import { getReading } from './reading.ts';
import { countAttempts } from './shown-waits.ts';
import { untilNextPoll } from './until-next-poll.ts';

const COMPLETED = 'completed';

export function trackActivities(deps: Deps) {
  const { ledger, getAccount, getJobStatusLoader, now, emit } = deps;

  /** Of each job that ends soon: its open URLs, and the first poll that showed this number. */
  const news = new Map<string, { readonly openUrls: number; readonly attempt: number }>();

  return { followSubmission: (input: Following) => untilKnown(input, () => follow(input)) };

  async function follow({ known, waits, ...job }: Following): Promise<JobStatus> {
    const { account: id, reference, watch, service, acceptedAt } = job;
    const account = getAccount(id);
    const name = `${id} ${reference}`;
    const attempt = countAttempts(waits);
    const asked = await findAskedJob(ledger.db, id, reference);
    if (asked !== null) return toJobStatus(...(await readOnceMore(deps, job, asked, attempt)));
    const { currentAttemptScheduledTimestampMs: scheduledAt } = Context.current().info;
    const lagMs = Math.max(0, now() - scheduledAt);
    const policy = account.tracking[service];
    const next = nextPoll(policy, attempt, now() - acceptedAt);
    const usualWait = alignToTick(policy, now(), waitAfter(policy, attempt));
    const status = await untilNextPoll(usualWait, () =>
      getJobStatusLoader(id).load(reference, freshSince(policy, now(), attempt)),
    ).catch((error: unknown) => {
      // A service whose responses stay unusable until the timeout must not be polled endlessly.
      if (next.kind === 'overdue' && !isRetryLater(error)) return { reference, state: known, allCompleted: null };
      throw error;
    });
    const isOverdue = next.kind === 'overdue';
    /** A completed job needs no results: one whose URLs stay unreadable until the timeout is taken at its word. */
    const readResults = (state: string) =>
      untilNextPoll(usualWait, () => readUrls(deps, job, state)).catch((error: unknown) => {
        const isAnswer = error instanceof ApiError || (error instanceof ApplicationFailure && !isRetryLater(error));
        if (state !== COMPLETED || !isOverdue || !isAnswer) throw error;
        return { state, unread: [] };
      });
    const { terminalStates } = account;
    const knowsAll = status.state === COMPLETED && status.allCompleted === true;
    const mustRead = terminalStates.includes(status.state) && !knowsAll;
    let { state: shown } = status;
    let openUrls = 0;
    let unread: Unread = [];
    if (knowsAll) await recordAllCompleted(ledger, id, reference);
    if (mustRead) {
      const { state: beside, ...read } = await readResults(shown);
      unread = read.unread;
      // What is shown beside the URLs is newer, or of a copy that lags behind: until the timeout they must agree on the end.
      const agrees = terminalStates.includes(beside);
      if (agrees || (!isOverdue && isKnownState(beside, terminalStates))) shown = beside;
      openUrls = await countOpenUrls(ledger, id, reference);
    }
    const lastNews = mustRead ? noteNews(name, { openUrls, attempt }) : attempt;
    const quietPolls = isOverdue ? Number.POSITIVE_INFINITY : shown === known ? attempt - lastNews : 0;
    const polled = await recordPoll(ledger, id, reference, { state: shown, terminalStates, openUrls, quietPolls });
    emit({ kind: 'poll', account: id, reference, state: polled.state, lagMs });
    if (polled.terminal) {
      news.delete(name);
      if (!mustRead && !knowsAll) ({ unread } = await readResults(polled.state));
      const retryFailed = deps.config.watches.get(watch)?.retryFailed ?? null;
      const answered = { unread, reading: getReading(account) };
      const settled = await settleJob(ledger, id, reference, { retryFailed, answered });
      const { completed, failed, open: withoutResult } = settled;
      const { state } = polled;
      emit({ kind: 'job_ended', account: id, watch, reference, state, completed, failed, withoutResult });
      return toJobStatus(polled.state, settled);
    }
    if (isOverdue) {
      news.delete(name);
      return { ...toJobStatus(polled.state, null), overdue: true };
    }
    if (polled.state !== known) return toJobStatus(polled.state, null);
    const wait = alignToTick(policy, now(), next.waitMs);
    const polls = attempt === 1 ? 'once' : `${attempt} times`;
    throw retryLater(wait, `${reference} is ${polled.state}, polled ${polls} since its last change`);
  }

  /** The first poll that showed this number of open URLs, as far as this process knows: another may have seen it before. */
  function noteNews(job: string, seen: { readonly openUrls: number; readonly attempt: number }): number {
    const before = news.get(job);
    if (before?.openUrls === seen.openUrls && before.attempt <= seen.attempt) return before.attempt;
    news.set(job, seen);
    return seen.attempt;
  }

  /**
   * An older copy of the ledger may lack the job until it is compared with the service or recovered. Nothing would start
   * another tracker then: this one polls on, until the tracking timeout.
   */
  async function untilKnown<T>({ account, reference, service, acceptedAt, waits }: Following, ask: () => Promise<T>) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LedgerError) || error.code !== 'UNKNOWN_BATCH') throw error;
      const policy = getAccount(account).tracking[service];
      const next = nextPoll(policy, countAttempts(waits), now() - acceptedAt);
      if (next.kind === 'overdue') throw error;
      const message =
        `the ledger does not know job ${reference}, as after a restore of an older copy: its URLs get no results until it ` +
        'does. It is polled again; if the account is held, run "courier recover"';
      throw retryLater(alignToTick(policy, now(), next.waitMs), message);
    }
  }
}

type Following = TrackInput & CanWait & { readonly known: string };

const toJobStatus = (state: string, settled: Settled | null): JobStatus => ({
  state,
  terminal: settled !== null,
  completed: settled?.completed ?? 0,
  failed: settled?.failed ?? 0,
  overdue: false,
});
