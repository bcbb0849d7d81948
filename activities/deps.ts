import type { Client } from '@temporalio/client';
import type { Account, Config, Watch } from '../src/config/config.ts';
import type { Ledger } from '../src/ledger/open-ledger.ts';
import type { Logger } from '../src/observability/log.ts';
import type { JobStatusLoader } from '../src/rate-limit/job-status-loader.ts';
import type { LimitedClient } from '../src/rate-limit/limited-client.ts';
import type { AccountId, WatchId } from '../src/submission/ids.ts';
import type { TrackedJobs } from './tracked-jobs.ts';

/** What activities are given by the program that runs them. */
export interface Deps {
  readonly config: Config;
  /** The watch of the configuration; fails for good when it is no longer there. */
  getWatch(id: WatchId): Watch;
  getAccount(id: AccountId): Account;
  /** Throws when the key belongs to another account than the ledger's; records the prices that the service shows. */
  confirmAccount(id: AccountId): Promise<void>;
  /** The account's service, behind its rate limits. */
  getApi(id: AccountId): LimitedClient;
  getJobStatusLoader(id: AccountId): JobStatusLoader;
  /** The jobs whose trackers this process has started, kept as long as the process. */
  getTracked(id: AccountId): TrackedJobs;
  readonly ledger: Ledger;
  readonly client: Client;
  readonly log: Logger;
  readonly now: () => number;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Aborted when the worker is asked to end: a long crawl stops where it is and goes on elsewhere. */
  readonly stopping: AbortSignal;
}
