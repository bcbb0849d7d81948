import { ApiError, NotFoundError, RequestRefusedError } from '../api-client/errors.ts';
import { listHistory, type SendRequest } from '../api-client/history.ts';
import type { SubmissionView } from '../api-client/read/submission.ts';
import type { Account, Watch } from '../config/config.ts';
import { listWatchesOnceIn } from '../ledger/accounts/watches.ts';
import {
  beginRecovery,
  listProjectsOfWatches,
  recordForeignJobs,
  releaseHistoryHold,
  selectUnknown,
} from '../ledger/jobs/history-hold.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { Reference } from '../submission/ids.ts';
import { findMissingWatch } from './missing-watch.ts';
import { type JobTaken, takeJob } from './recover-job.ts';
import { retryFailed } from './retry-failed.ts';

/** Total attempts for a failing request, with backoff: at least 90 seconds in total. */
const MOST_TRIES = 8;
/** A job of which the service shows its URLs alone. */
const NOTHING_SHOWN = {
  ...{ state: null, project: null, createdAt: null, urlCount: null, completed: null, failed: null },
  ...{ charged: null, pricePerUrl: null, service: null },
};

export interface RecoverSettings {
  readonly ledger: Ledger;
  readonly account: Account;
  /** All that are configured. */
  readonly watches: readonly Watch[];
  /** The watch for a job that nothing else assigns. */
  readonly fallback: Watch | null;
  /** Only jobs since that day, such as 2026-01-31. */
  readonly since: string | null;
  /** Permanently leaves out jobs that match no watch or are not shown in full: you have checked them. */
  readonly accept: boolean;
  readonly send: SendRequest;
  readonly signal: AbortSignal;
  readonly progress: RecoverProgress;
}

export interface RecoverProgress {
  listed(jobs: number, total: number | null): void;
  read(jobs: number, total: number, last: string): void;
  /** A request failed and is retried. */
  waiting(waitMs: number, why: string): void;
}

export interface AccountRecovered {
  readonly taken: readonly JobTaken[];
  /** Nothing is sent until the command completes with every job imported, or with `accept`. */
  readonly held: boolean;
}

/**
 * Imports the history of an account into the ledger, oldest job first. All or nothing for spending: from the first
 * request on, no run, worker or cron job of this ledger sends anything for the account, and only a complete recovery
 * ends that. Throws the ApiError of a request that fails permanently; imported jobs are kept, and the account stays held.
 */
export async function recoverAccount(settings: RecoverSettings): Promise<AccountRecovered> {
  const { ledger, account, fallback, since, accept, signal, progress } = settings;
  const hold = await beginRecovery(ledger, account.id);
  const send = retryFailed(settings.send, { tries: MOST_TRIES, signal, onWait: progress.waiting });
  const listed = await listHistory(send, since, (jobs, total) => progress.listed(jobs, total));
  const unlisted = await readUnlisted(settings, send, listed, hold.references);
  const history = insertJobs(listed, unlisted.jobs);
  const before = await listWatchesOnceIn(ledger.db, account.id);
  const watches = settings.watches.filter((watch) => watch.account === account.id);
  const moved = settings.watches.filter(({ id, account: now }) => now !== account.id && before.has(id));
  const taken: JobTaken[] = [];
  let notBefore: number | null = null;
  for (const submission of history) {
    signal.throwIfAborted();
    const { reference } = submission;
    const job: JobTaken = await takeJob({
      ...{ ledger, account, watches, moved, fallback, send, submission, notBefore },
    }).catch((error: unknown): JobTaken => {
      // Listed, and not shown. Whoever accepts that leaves it out.
      if (!(error instanceof ApiError) || !(isRefused(error) || (accept && error.status === 403))) throw error;
      return { kind: 'not_found', reference };
    });
    notBefore = submission.createdAt ?? (job.kind === 'recovered' ? job.createdAt : null) ?? notBefore;
    taken.push(job);
    progress.read(taken.length, history.length, submission.reference);
  }
  taken.push(...unlisted.notFound);
  const leftOut = taken.flatMap((job) =>
    job.kind === 'unassigned' || job.kind === 'not_found' ? [job.reference] : [],
  );
  const incomplete = taken.some((job) => job.kind === 'recovered' && job.missing > 0);
  const named = await nameMissingWatches(settings, taken);
  if (!accept && (leftOut.length > 0 || incomplete)) return { taken: named, held: true };
  await recordForeignJobs(ledger, account.id, leftOut);
  return { taken: named, held: !(await releaseHistoryHold(ledger, account.id, hold)) };
}

async function nameMissingWatches(
  { ledger, account, watches }: RecoverSettings,
  taken: readonly JobTaken[],
): Promise<readonly JobTaken[]> {
  if (!taken.some(({ kind }) => kind === 'unassigned')) return taken;
  const bought = await listProjectsOfWatches(ledger, account.id);
  const configured = new Set(watches.map(({ id }) => id));
  return taken.map((job) =>
    job.kind === 'unassigned' ? { ...job, missingWatch: findMissingWatch(bought, configured, job.project) } : job,
  );
}

interface Unlisted {
  readonly jobs: readonly SubmissionView[];
  readonly notFound: readonly JobTaken[];
}

/** Reads the jobs for which the account is held that the list does not show: it is late, or `since` leaves them out. */
async function readUnlisted(
  { ledger, account, accept }: RecoverSettings,
  send: SendRequest,
  listed: readonly SubmissionView[],
  named: readonly Reference[],
): Promise<Unlisted> {
  const jobs: SubmissionView[] = [];
  const notFound: JobTaken[] = [];
  const unknown = await selectUnknown(ledger, account.id, named);
  for (const reference of named.filter((each) => unknown.has(each) && !listed.some((job) => job.reference === each))) {
    try {
      const { submission } = await send((client) => client.getSubmission(reference, { urlPage: 1, urlLimit: 1 }));
      jobs.push({ ...NOTHING_SHOWN, ...submission, reference });
    } catch (error) {
      // The list was read with this key: what fails is this job. Whoever accepts that leaves it out.
      if (!(error instanceof ApiError) || !(accept || isRefused(error))) throw error;
      notFound.push({ kind: 'not_found', reference });
    }
  }
  return { jobs, notFound };
}

/** The same request would be refused again. 410: the job is gone. */
const isRefused = (error: ApiError): boolean =>
  error instanceof NotFoundError || error instanceof RequestRefusedError || error.status === 410;

/** Oldest first; jobs without a time that are inserted come last. */
function insertJobs(listed: readonly SubmissionView[], more: readonly SubmissionView[]): readonly SubmissionView[] {
  if (more.length === 0) return listed;
  const dated = more.filter(({ createdAt }) => createdAt !== null);
  return [
    ...[...listed, ...dated].sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0)),
    ...more.filter(({ createdAt }) => createdAt === null),
  ];
}
