import { ApplicationFailure } from '@temporalio/common';
import type { Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { newTrackedJobs, type TrackedJobs } from '../../activities/tracked-jobs.ts';
import type { Config } from '../config/config.ts';
import { getListPositions } from '../ledger/jobs/list-positions.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { Logger } from '../observability/log.ts';
import { createAccountJobStatus } from '../rate-limit/account-job-status.ts';
import type { JobStatusLoader } from '../rate-limit/job-status-loader.ts';
import { createLimitedClient } from '../rate-limit/limited-client.ts';
import { openRateLimits } from '../rate-limit/limiter.ts';
import { toRateLimits } from '../rate-limit/limits.ts';
import type { AccountId } from '../submission/ids.ts';
import type { UnknownStatus } from '../submission/status-map.ts';
import { connectClient, connectWorker, type TemporalSettings } from '../temporal/connect.ts';
import { ensureSearchAttributes } from '../temporal/ensure-search-attributes.ts';
import { FAILURE_TYPE } from '../temporal-api/failure-types.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';
import { type Closable, closeAll } from './close-all.ts';
import { type ConfirmedClient, confirmFirst } from './confirm-account.ts';
import { OperationError } from './operation-error.ts';
import { createAccountClient } from './service-client.ts';
import { createCourierWorker } from './worker.ts';

export interface Connector {
  readonly deps: Deps;
  /** Throws an OperationError (other_account) when the key of one belongs to another account than the ledger's. */
  confirmAccounts(ids: Iterable<AccountId>): Promise<void>;
  /** Runs until `stop`, then releases everything. Rejects when the worker fails. */
  run(): Promise<void>;
  /** Finishes what is in progress: a request in flight is completed and recorded, a crawl stops where it is. */
  stop(): void;
}

/** Assembles the modules: one worker for one configuration. */
export async function openConnector(config: Config, temporal: TemporalSettings, log: Logger): Promise<Connector> {
  const opened: Closable[] = [];
  try {
    return await buildConnector(opened, config, temporal, log);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/** What it opens is in `opened`, also when it fails halfway. */
async function buildConnector(
  opened: Closable[],
  config: Config,
  temporal: TemporalSettings,
  log: Logger,
): Promise<Connector> {
  const keep = <T extends Closable>(resource: T): T => {
    opened.push(resource);
    return resource;
  };
  const ledger = keep(await openLedger(config.ledgerUrl));
  const rateLimits = keep(await openRateLimits(config.ledgerUrl));
  const { client, connection, namespace } = await connectClient(temporal);
  keep(connection);
  const notice = await ensureSearchAttributes(connection, namespace);
  if (notice !== null) log.warn({ namespace }, notice);
  const native = await connectWorker(temporal, log);
  keep(native.connection);
  const apis = new Map<AccountId, ConfirmedClient>();
  const loaders = new Map<AccountId, JobStatusLoader>();
  const tracked = new Map<AccountId, TrackedJobs>();
  const stopping = new AbortController();

  const warnUnknownStatus =
    (id: AccountId) =>
    ({ kind: of, statusName }: UnknownStatus): void =>
      log.warn(
        { account: id, of, statusName },
        `the service reports the unknown ${of === 'url' ? 'URL' : of} status "${statusName}", which counts as open. Map it under status_map (docs/guides/other-services.md)`,
      );

  function getApi(id: AccountId): ConfirmedClient {
    const account = deps.getAccount(id);
    const known = apis.get(id);
    if (known !== undefined) return known;
    const limiter = rateLimits.getLimiter(id, toRateLimits(account.limits, account.limits.minuteMs));
    const api = keep(createLimitedClient(createAccountClient(account, warnUnknownStatus(account.id)), limiter));
    const confirmed = confirmFirst(api, { account, ledger, log, toError: needsConfiguration });
    apis.set(id, confirmed);
    return confirmed;
  }

  const deps: Deps = {
    config,
    getWatch: (id) => config.watches.get(id) ?? notConfigured(`watch "${id}"`),
    getAccount: (id) => config.accounts.get(id) ?? notConfigured(`account "${id}"`),
    getApi,
    async confirmAccount(id) {
      await getApi(id).confirm();
    },
    getJobStatusLoader(id) {
      const known =
        loaders.get(id) ??
        createAccountJobStatus(deps.getApi(id), rateLimits.getJobStatusCache(id), (references) =>
          getListPositions(ledger, id, references),
        );
      loaders.set(id, known);
      return known;
    },
    getTracked(id) {
      const known = tracked.get(id) ?? newTrackedJobs();
      tracked.set(id, known);
      return known;
    },
    ledger,
    client,
    log,
    now: Date.now,
    random: Math.random,
    stopping: stopping.signal,
  };
  const worker = await createCourierWorker({
    connection: native.connection,
    namespace,
    taskQueue: getTaskQueue(ledger.id),
    activities: createActivities(deps),
  });

  return {
    deps,
    async confirmAccounts(ids) {
      for (const id of new Set(ids)) {
        await deps.confirmAccount(id).catch((error: unknown) => {
          if (!(error instanceof ApplicationFailure)) throw error;
          throw new OperationError('other_account', error.message);
        });
      }
    },
    async run() {
      try {
        await worker.run();
      } finally {
        await closeAll(opened);
      }
    },
    stop() {
      stopping.abort(new Error('the worker is shutting down'));
      if (worker.getState() === 'RUNNING') worker.shutdown();
    },
  };
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
