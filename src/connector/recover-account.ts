import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api-client/errors.ts';
import { listHistory, type SendRequest } from '../api-client/history.ts';
import type { Account, Watch } from '../config/config.ts';
import { holdSpending, recordForeignJobs, releaseHistoryHold } from '../ledger/jobs/history-hold.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { listWatchesOnceIn } from '../ledger/runs/watches.ts';
import { backoffMs } from '../submission/backoff.ts';
import { type JobTaken, takeJob } from './recover-job.ts';

/** Total attempts for a failing request, with backoff: at least 90 seconds in total. */
const MOST_TRIES = 8;
const LONGEST_WAIT_MS = 60_000;

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
  await holdSpending(ledger, account.id, { code: 'recovering' });
  const send = retryFailed(settings);
  const history = await listHistory(send, since, (jobs, total) => progress.listed(jobs, total));
  const before = await listWatchesOnceIn(ledger.db, account.id);
  const watches = settings.watches.filter((watch) => watch.account === account.id);
  const moved = settings.watches.filter(({ id, account: now }) => now !== account.id && before.has(id));
  const taken: JobTaken[] = [];
  let notBefore: number | null = null;
  for (const submission of history) {
    signal.throwIfAborted();
    const job: JobTaken = await takeJob({ ledger, account, watches, moved, fallback, send, submission, notBefore });
    notBefore = submission.createdAt ?? (job.kind === 'recovered' ? job.createdAt : null) ?? notBefore;
    taken.push(job);
    progress.read(taken.length, history.length, submission.reference);
  }
  const unassigned = taken.flatMap((job) => (job.kind === 'unassigned' ? [job.reference] : []));
  const incomplete = taken.some((job) => job.kind === 'recovered' && job.missing > 0);
  const held = !accept && (unassigned.length > 0 || incomplete);
  if (!held) {
    await recordForeignJobs(ledger, account.id, unassigned);
    await releaseHistoryHold(ledger, account.id);
  }
  return { taken, held };
}

/** Retries a request that failed because of a busy service, a gateway or a broken connection. */
function retryFailed({ send, signal, progress }: RecoverSettings): SendRequest {
  return async (request) => {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      try {
        return await send(request);
      } catch (error) {
        if (!(error instanceof ApiError) || error.policy !== 'retry' || tries === MOST_TRIES) throw error;
        const waitMs = Math.max(error.retryAfterMs ?? 0, Math.min(backoffMs(tries, 0.5), LONGEST_WAIT_MS));
        progress.waiting(waitMs, error.message);
        await sleep(waitMs, undefined, { signal });
      }
    }
  };
}
