import type { GuardHold } from '../submission/guard.ts';
import type { AccountId } from '../submission/ids.ts';
import type {
  CheckStep,
  CrawlReport,
  DispatchStep,
  JobStatus,
  PlanReport,
  PlanRunInput,
  RunCounts,
  RunReport,
  TrackInput,
  WatchRun,
} from './payloads.ts';

/**
 * What workflows ask of the outside world. Every activity may run again, or twice at once: the ledger makes that
 * harmless. Waiting is a retryable failure with the delay of the next try, so no worker slot ever sleeps.
 */
export interface Activities {
  /** Opens the run in the ledger. Fails for good when another run of the watch is alive (RunActive). */
  beginRun(run: WatchRun): Promise<void>;
  /** Reads the sitemaps into the ledger; a retry goes on at the sitemap where a killed worker left it. */
  crawlWatch(run: WatchRun): Promise<CrawlReport>;
  /** `complete`: what the crawl says of itself. Only then can a URL be gone. */
  diffRun(run: WatchRun & { readonly complete: boolean }): Promise<RunCounts>;
  /** Whether the change is plausible; if not, why it waits for approval. */
  judgeRun(run: WatchRun): Promise<GuardHold | null>;
  recordDecision(run: WatchRun & { readonly decision: 'approved' | 'rejected'; readonly by: string }): Promise<void>;
  /** Freezes batches with their keys, within the caps. The same run planned twice is planned once. */
  planRun(run: PlanRunInput): Promise<PlanReport>;
  /** Starts the account's dispatcher, or wakes the one that runs. */
  wakeDispatcher(input: { readonly account: AccountId }): Promise<void>;
  /** Retries until every batch of the run has its answer (accepted) or its end (terminal). */
  awaitRun(run: WatchRun & { readonly until: 'accepted' | 'terminal' }): Promise<RunReport>;
  finishRun(run: WatchRun): Promise<void>;

  /** Sends the next planned batch, records what the answer means and starts a tracker for what was accepted. */
  sendNextBatch(input: { readonly account: AccountId }): Promise<DispatchStep>;
  /** Retries until the money suffices for the next batch. */
  awaitMoney(input: { readonly account: AccountId }): Promise<void>;
  /** Retries until the key is accepted again. */
  awaitKey(input: { readonly account: AccountId }): Promise<void>;

  /** Retries until the job's state is another than `known`, then records it. */
  followSubmission(input: TrackInput & { readonly known: string }): Promise<JobStatus>;

  /** Checks up to 50 due URLs. */
  checkNextBatch(run: WatchRun): Promise<CheckStep>;
}
