import type { Client } from '@temporalio/client';
import type { Account, Config, Watch } from '../src/config/config.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import type { Logger } from '../src/observability/log.ts';
import type { EmitEvent } from '../src/observability/worker-events.ts';
import type { JobStatusLoader } from '../src/rate-limit/job-status-loader.ts';
import type { LimitedClient } from '../src/rate-limit/limited-client.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import type { TrackedJobs } from './tracked-jobs.ts';

/** The dependencies that the program passes to the activities. */
export interface Deps {
  /** The configuration in force. It changes while activities run: read it from here each time. */
  readonly config: Config;
  /** The configured watch; throws a permanent failure when it is no longer configured. */
  getWatch(id: WatchId): Watch;
  getAccount(id: AccountId): Account;
  /**
   * Throws when the key belongs to another account than the ledger's; records the prices that the service shows. Asks the
   * service once an hour, with `afresh` each time.
   */
  confirmAccount(id: AccountId, options?: { readonly afresh: boolean }): Promise<void>;
  /** The account's service, behind its rate limits. */
  getApi(id: AccountId): LimitedClient;
  getJobStatusLoader(id: AccountId): JobStatusLoader;
  /** The jobs whose trackers this process has started, kept for the life of the process. */
  getTracked(id: AccountId): TrackedJobs;
  readonly ledger: Ledger;
  readonly client: Client;
  readonly log: Logger;
  /** Reports what the ledger has recorded, to the log and the metrics. */
  readonly emit: EmitEvent;
  readonly now: () => number;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Aborted when the worker must shut down: a long crawl stops and resumes elsewhere. */
  readonly stopping: AbortSignal;
}
