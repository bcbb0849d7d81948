import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { LIMITS } from '../contract/limits.ts';
import { ApiError, unwrapData } from '../src/api-client/errors.ts';
import { toFailureData } from '../src/api-client/failure.ts';
import { readPages } from '../src/api-client/find-batch-in-doubt.ts';
import { areAllCompleted, type UrlView } from '../src/api-client/read/submission.ts';
import { recordPoll } from '../src/ledger/jobs/record-poll.ts';
import {
  countOpenUrls,
  recordAllCompleted,
  recordUrlResults,
  type Settled,
  settleJob,
  type UrlResult,
} from '../src/ledger/jobs/settle-job.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { alignToTick, freshSince, nextPoll, waitAfter } from '../src/submission/poll-schedule.ts';
import { isKnownState } from '../src/submission/states.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import type { Deps } from './deps.ts';
import { countAttempts } from './shown-waits.ts';

const COMPLETED = 'completed';

export function trackActivities(deps: Deps) {
  const { ledger, getAccount, getJobStatusLoader, now, emit } = deps;

  /** Of each job that ends soon: its open URLs, and the first poll since its last change that showed so many. */
  const news = new Map<string, { readonly openUrls: number; readonly attempt: number }>();

  return { followSubmission: (input: Following) => untilKnown(input, () => follow(input)) };

  async function follow({ known, waits, ...job }: Following): Promise<JobStatus> {
    const { account: id, reference, watch, service, acceptedAt } = job;
    const account = getAccount(id);
    const name = `${id} ${reference}`;
    const attempt = countAttempts(waits);
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
        return state;
      });
    const { terminalStates } = account;
    const knowsAll = status.state === COMPLETED && status.allCompleted === true;
    const mustRead = terminalStates.includes(status.state) && !knowsAll;
    let { state: shown } = status;
    let openUrls = 0;
    if (knowsAll) await recordAllCompleted(ledger, id, reference);
    if (mustRead) {
      const beside = await readResults(shown);
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
      if (!mustRead && !knowsAll) await readResults(polled.state);
      const retryFailed = deps.config.watches.get(watch)?.retryFailed ?? null;
      const settled = await settleJob(ledger, id, reference, { retryFailed });
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

  /** The first poll that showed so many open URLs, as far as this process knows: another may have seen it before. */
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

/**
 * Retries a failed poll at the next scheduled poll, whatever the error: the job is paid for, so a rejected key or a 404
 * is retried until the tracking deadline and then reported. Polls that the rate limiter denied also wait for their next
 * slot: a thousand trackers racing for one free request would starve the worker.
 */
async function untilNextPoll<T>(waitMs: number, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RateLimitedError) throw retryLater(Math.max(waitMs, error.waitMs), error.message);
    if (!(error instanceof ApiError) || (error.policy === 'retry' && error.retryAfterMs !== null)) throw error;
    const { type, message, details } = toFailureData(error);
    throw ApplicationFailure.create({ type, message, details: [details], nextRetryDelay: waitMs });
  }
}

const toJobStatus = (state: string, settled: Settled | null): JobStatus => ({
  state,
  terminal: settled !== null,
  completed: settled?.completed ?? 0,
  failed: settled?.failed ?? 0,
  overdue: false,
});

/**
 * Reads what the service says of each URL of a job into the ledger, page by page, until every URL was shown. Returns the
 * state that is shown beside them, else the given one. A completed job may have failed URLs: its list entry or the first
 * page says so with its counts, or each page has to.
 */
async function readUrls({ ledger, getApi }: Deps, job: TrackInput, state: string): Promise<string> {
  const { account, reference } = job;
  let beside = state;
  let shown = 0;
  const pages = readPages(
    (urlPage) =>
      getApi(account)
        .request('poll', (client) => client.getSubmission(reference, { urlPage, urlLimit: LIMITS.urlPage.max }))
        .then(unwrapData),
    ({ urls }) => urls.map(({ url }) => url).join(' '),
  );
  for await (const { submission, urls } of pages) {
    Context.current().heartbeat();
    beside = submission.state ?? state;
    if (beside === COMPLETED && areAllCompleted(submission) === true) {
      await recordAllCompleted(ledger, account, reference);
      break;
    }
    await recordUrlResults(ledger, account, reference, urls.map(toUrlResult));
    shown += urls.length;
    if (shown >= job.urls) break;
  }
  return beside;
}

const toUrlResult = ({ url, state, statusName: word, reason }: UrlView): UrlResult => ({
  url,
  result: state,
  // A word that is not understood must be seen: status_map may name it.
  reason: state === 'open' ? [word, reason].filter((text) => text !== null).join(': ') || null : reason,
});
