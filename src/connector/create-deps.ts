import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Dispatcher } from 'undici';
import type { Deps } from '../../activities/deps.ts';
import { newTrackedJobs, type TrackedJobs } from '../../activities/tracked-jobs.ts';
import type { ApiClientOptions } from '../api-client/client.ts';
import type { Account, Config } from '../config/config.ts';
import { getListPositions } from '../ledger/jobs/list-positions.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { createEventLog } from '../observability/event-log.ts';
import type { Logger } from '../observability/log.ts';
import type { EmitEvent } from '../observability/worker-events.ts';
import { createAccountJobStatus } from '../rate-limit/account-job-status.ts';
import { boundLoads } from '../rate-limit/bound-loads.ts';
import type { JobStatusLoader } from '../rate-limit/job-status-loader.ts';
import { createLimitedClient } from '../rate-limit/limited-client.ts';
import type { RateLimitStore } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { AccountId, Reference } from '../submission/ids.ts';
import type { UnknownStatus } from '../submission/status-map.ts';
import { FAILURE_TYPE } from '../temporal-api/failure-types.ts';
import type { Closable } from './close-all.ts';
import { type ConfirmedClient, confirmFirst } from './confirm-account.ts';
import { observeRequests } from './observe-requests.ts';
import { createAccountClient } from './service-client.ts';

interface OpenedAccount {
  readonly account: Account;
  readonly api: ConfirmedClient;
  readonly jobStatus: JobStatusLoader;
}

export interface DepsSettings {
  /** The configuration in force. It may change while activities run. */
  readonly getConfig: () => Config;
  readonly log: Logger;
  readonly ledger: Ledger;
  readonly rateLimits: RateLimitStore;
  readonly client: Client;
  readonly now: () => number;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  /** Aborted when the worker must shut down. */
  readonly stopping: AbortSignal;
  /** Replaces the connections to the services. */
  readonly dispatcher?: Dispatcher;
  /** Sees each response of an account's service. */
  readonly watchResponses?: (account: AccountId) => NonNullable<ApiClientOptions['onResponse']>;
  /** Default: the event log. */
  readonly emit?: EmitEvent;
  /** Closes the resource when the worker ends. */
  readonly keep: <T extends Closable>(resource: T) => T;
}

/** What the activities of one worker need: a client, a limiter and a cache for each account, opened at its first use. */
export function createDeps(settings: DepsSettings): Deps {
  const { getConfig, log, ledger, rateLimits, client, now, random, stopping, dispatcher, watchResponses, keep } =
    settings;
  const { emit = createEventLog(log, now) } = settings;
  const apis = new Map<AccountId, OpenedAccount>();
  const tracked = new Map<AccountId, TrackedJobs>();

  const warnUnknownStatus =
    (id: AccountId) =>
    ({ kind: of, statusName }: UnknownStatus): void =>
      log.warn(
        { account: id, of, statusName },
        `the service reports the unknown ${of === 'url' ? 'URL' : of} status "${statusName}", which counts as open. Map it under status_map (docs/guides/other-services.md)`,
      );

  /** What an account has open, opened again when its settings changed. The former client ends with the worker. */
  function getOpened(id: AccountId): OpenedAccount {
    const account = deps.getAccount(id);
    const known = apis.get(id);
    if (known !== undefined && (known.account === account || isDeepStrictEqual(known.account, account))) return known;
    const limiter = rateLimits.getLimiter(id, toRateLimits(account.limits, account.limits.minuteMs));
    const accountClient = createAccountClient(account, warnUnknownStatus(id), dispatcher, watchResponses?.(id));
    const limited = keep(observeRequests(createLimitedClient(accountClient, limiter), id, emit));
    const api = confirmFirst(limited, { account, ledger, log, toError: needsConfiguration });
    const positions = (references: readonly Reference[]) => getListPositions(ledger, id, references);
    const loader = createAccountJobStatus(api, rateLimits.getJobStatusCache(id), positions);
    const jobStatus = boundLoads(loader, now);
    const opened = { account, api, jobStatus };
    apis.set(id, opened);
    return opened;
  }

  const deps: Deps = {
    get config() {
      return getConfig();
    },
    getWatch: (id) => getConfig().watches.get(id) ?? notConfigured(`watch "${id}"`),
    getAccount: (id) => getConfig().accounts.get(id) ?? notConfigured(`account "${id}"`),
    getApi: (id) => getOpened(id).api,
    async confirmAccount(id, options) {
      await getOpened(id).api.confirm(options);
    },
    getJobStatusLoader: (id) => getOpened(id).jobStatus,
    getTracked(id) {
      const known = tracked.get(id) ?? newTrackedJobs();
      tracked.set(id, known);
      return known;
    },
    ledger,
    client,
    log,
    emit,
    now,
    random,
    stopping,
  };
  return deps;
}

/** Ids in the ledger and in workflows outlive the configuration. */
function notConfigured(what: string): never {
  throw needsConfiguration(
    `The worker's configuration has no ${what}. Nothing was sent. Add it again, or terminate the workflow.`,
  );
}

/** Correcting the configuration or the key helps: the workflow waits for that, and no job is given up. */
function needsConfiguration(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: FAILURE_TYPE.notConfigured, message, nextRetryDelay: '5 minutes' });
}
