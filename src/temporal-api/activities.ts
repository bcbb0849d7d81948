import type { AccountId } from '../submission/ids.ts';
import type {
  CheckStep,
  CrawlReport,
  DispatchStep,
  GuardHold,
  JobStatus,
  PlanRunInput,
  PlanWithSample,
  RunCounts,
  RunDecided,
  RunReport,
  RunVerdict,
  TrackInput,
  WatchRun,
} from './payloads.ts';
import type { CanWait } from './waits.ts';

/**
 * The activities that workflows call. Every activity may run again, or twice at once: the ledger makes that harmless.
 * Waiting is a retryable failure with the delay of the next attempt, or a result for a workflow that shows its waits
 * (waits.ts), so no worker slot ever sleeps.
 */
export interface Activities {
  /** Opens the run in the ledger. Fails permanently when another run of the watch is alive (RunActive). */
  beginRun(run: WatchRun): Promise<void>;
  /** Reads the sitemaps into the ledger; a retry resumes at the sitemap where a killed worker stopped. */
  crawlWatch(run: WatchRun): Promise<CrawlReport>;
  /** `complete`: whether the crawl was complete. Only then can a URL count as gone. */
  diffRun(run: WatchRun & { readonly complete: boolean }): Promise<RunCounts>;
  /** Whether the change is plausible; if not, why it waits for approval. */
  judgeRun(run: WatchRun): Promise<GuardHold | null>;
  /** The decision that the ledger has on a held run: of an execution that was reset to the time before it. */
  findDecision(run: WatchRun): Promise<RunDecided | null>;
  recordDecision(run: WatchRun & { readonly decision: 'approved' | 'rejected'; readonly by: string }): Promise<void>;
  /** Freezes batches with their keys, within the caps. The same run planned twice is planned once. */
  planRun(run: PlanRunInput): Promise<PlanWithSample>;
  /** Starts the account's dispatcher, or wakes the running one. */
  wakeDispatcher(input: { readonly account: AccountId }): Promise<void>;
  /** Retries until every batch of the run has a response (accepted) or has ended (terminal). */
  awaitRun(run: WatchRun & CanWait & { readonly until: 'accepted' | 'terminal' }): Promise<RunReport>;
  /** Ends the run in the ledger. */
  finishRun(run: WatchRun): Promise<RunVerdict>;

  /** Sends the next planned batch, records the outcome and starts a tracker for an accepted batch. */
  sendNextBatch(input: CanWait & { readonly account: AccountId }): Promise<DispatchStep>;
  /** Retries until the funds suffice for the next batch. */
  awaitMoney(input: CanWait & { readonly account: AccountId }): Promise<void>;
  /** Retries until the key is accepted again. */
  awaitKey(input: CanWait & { readonly account: AccountId }): Promise<void>;

  /** Retries until the job's state differs from `known`, then records it. */
  followSubmission(input: TrackInput & CanWait & { readonly known: string }): Promise<JobStatus>;

  /** Checks up to 50 due URLs. */
  checkNextBatch(run: WatchRun & CanWait): Promise<CheckStep>;
}
