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
  recordUrlResults,
  type Settled,
  settleJob,
  type UrlResult,
} from '../src/ledger/jobs/settle-job.ts';
import { LedgerError } from '../src/ledger/ledger-error.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { alignToTick, freshSince, nextPoll, waitAfter } from '../src/submission/poll-schedule.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import type { Deps } from './deps.ts';
import { countAttempts } from './shown-waits.ts';

/** In these two states an open URL has the result of its job, whatever else its URL says. */
const COMPLETED = 'completed';
const FAILED = 'failed';

/** Some services report partial before the last URL is done. A job with open URLs is polled this many more times. */
const POLLS_AFTER_END = 8;

export function trackActivities(deps: Deps) {
  const { ledger, getAccount, getJobStatusLoader, now, emit } = deps;

  return { followSubmission: (input: Following) => untilKnown(input, () => follow(input)) };

  async function follow({ known, waits, ...job }: Following): Promise<JobStatus> {
    const { account: id, reference, watch, service, acceptedAt } = job;
    const account = getAccount(id);
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
      });
    const knowsAll = status.state === COMPLETED && status.allCompleted === true;
    const mustRead = account.terminalStates.includes(status.state) && !knowsAll;
    let endsEarly = false;
    if (mustRead) {
      await readResults(status.state);
      const isSettling = status.state === COMPLETED || status.state === FAILED || isOverdue;
      const mayBeEarly = !isSettling && (status.state !== known || attempt <= POLLS_AFTER_END);
      endsEarly = mayBeEarly && (await countOpenUrls(ledger, id, reference)) > 0;
    }
    const polled = await recordPoll(ledger, id, reference, {
      state: status.state,
      terminalStates: endsEarly
        ? account.terminalStates.filter((state) => state !== status.state)
        : account.terminalStates,
    });
    emit({ kind: 'poll', account: id, reference, state: polled.state, lagMs });
    if (polled.terminal) {
      if (!mustRead && !knowsAll) await readResults(polled.state);
      const retryFailed = deps.config.watches.get(watch)?.retryFailed ?? null;
      const settled = await settleJob(ledger, id, reference, { retryFailed });
      const { completed, failed, open: withoutResult } = settled;
      const { state } = polled;
      emit({ kind: 'job_ended', account: id, watch, reference, state, completed, failed, withoutResult });
      return toJobStatus(polled.state, settled);
    }
    if (isOverdue) return { ...toJobStatus(polled.state, null), overdue: true };
    if (polled.state !== known) return toJobStatus(polled.state, null);
    const wait = alignToTick(policy, now(), next.waitMs);
    const polls = attempt === 1 ? 'once' : `${attempt} times`;
    throw retryLater(wait, `${reference} is ${polled.state}, polled ${polls} since its last change`);
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
 * Reads what the service says of each URL of an ended job into the ledger, page by page, until every URL was shown. A
 * completed job may have failed URLs: its list entry or the first page says so with its counts, or each page has to.
 */
async function readUrls({ ledger, getApi }: Deps, job: TrackInput, state: string): Promise<void> {
  const { account, reference } = job;
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
    if (state === COMPLETED && areAllCompleted(submission) === true) return;
    await recordUrlResults(ledger, account, reference, urls.map(toUrlResult));
    shown += urls.length;
    if (shown >= job.urls) return;
  }
}

const toUrlResult = ({ url, state, statusName: word, reason }: UrlView): UrlResult => ({
  url,
  result: state,
  reason: reason ?? (state === 'open' ? word : null),
});
