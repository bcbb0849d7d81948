import { isNotFound } from '../src/api-client/find-batch-in-doubt.ts';
import type { UrlView } from '../src/api-client/read/submission.ts';
import type { Settled } from '../src/ledger/jobs/assign-results.ts';
import { readAgain } from '../src/ledger/jobs/read-again.ts';
import { getJobState } from '../src/ledger/jobs/record-poll.ts';
import { type AskedJob, parseUnread } from '../src/ledger/jobs/unread-jobs.ts';
import { nextPoll, waitAfter } from '../src/submission/poll-schedule.ts';
import { createStatusMapping } from '../src/submission/status-map.ts';
import { mergeUnread, type Unread, withoutKnown } from '../src/submission/unread.ts';
import type { TrackInput } from '../src/temporal-api/payloads.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import type { Deps } from './deps.ts';
import { readUrlPages, toUrlResult } from './read-urls.ts';
import { getReading } from './reading.ts';
import { untilNextPoll } from './until-next-poll.ts';

/** Another worker asked, and that configuration may be gone by now. */
const OTHER_WORKER_MS = 60_000;

/** A wrong path is a 404 too, and is corrected sooner or later. */
const MOST_NOT_FOUND = 3;

/**
 * Asks the service once more for a job that has ended, because the words of its answer are understood by now. A GET costs
 * nothing and is as new as can be, so no answer is kept for this. A service that has forgotten the job, or shows nothing until the
 * tracking timeout, leaves it as it was.
 */
export async function readOnceMore(
  deps: Deps,
  job: TrackInput,
  asked: AskedJob,
  attempt: number,
): Promise<[state: string, settled: Settled]> {
  const { ledger, getAccount, now, config, log } = deps;
  const account = getAccount(job.account);
  const policy = account.tracking[job.service];
  const isLast = nextPoll(policy, attempt, now() - asked.askedAt).kind === 'overdue';
  const reading = getReading(account);
  if (asked.asked !== reading && !isLast) {
    throw retryLater(
      OTHER_WORKER_MS,
      `${job.reference} is read again by a worker with the configuration that asked for it`,
    );
  }
  const mapping = createStatusMapping(account.statusMap);
  const known = withoutKnown(parseUnread(asked.found), mapping.knowsUrl);
  const read = await untilNextPoll(waitAfter(policy, attempt), () => readAll(deps, job)).catch((error: unknown) => {
    const isForgotten = isNotFound(error) && attempt >= MOST_NOT_FOUND;
    if (isForgotten || (isLast && !isRetryLater(error))) return { urls: [], unread: known };
    throw error;
  });
  const recorded = await getJobState(ledger, job.account, job.reference);
  const meaning = mapping.job(recorded) ?? recorded;
  const state = account.terminalStates.includes(meaning) ? meaning : recorded;
  const settled = await readAgain(ledger, job.account, job.reference, {
    ...{ results: read.urls.map(toUrlResult), unread: read.unread, reading, jobState: state },
    retryFailed: config.watches.get(job.watch)?.retryFailed ?? null,
  });
  const { completed, failed, open } = settled;
  log.info(
    { account: job.account, reference: job.reference },
    `job ${job.reference} was read again: ${completed} completed, ${failed} failed, ${open} without a result`,
  );
  return [state, settled];
}

interface AllRead {
  readonly urls: readonly UrlView[];
  readonly unread: Unread;
}

async function readAll(deps: Deps, job: TrackInput): Promise<AllRead> {
  const urls: UrlView[] = [];
  let unread: Unread = [];
  for await (const page of readUrlPages(deps, job)) {
    urls.push(...page.urls);
    unread = mergeUnread(unread, page.unread);
  }
  return { urls, unread };
}
