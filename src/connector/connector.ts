import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { workerStops } from '../../activities/lost-attempts.ts';
import type { ApiClientOptions } from '../api-client/client.ts';
import type { Config } from '../config/config.ts';
import { type Ledger, openLedger } from '../ledger/open-ledger.ts';
import type { Trouble } from '../metrics/worker-metrics.ts';
import { createEventLog } from '../observability/event-log.ts';
import type { Logger } from '../observability/log.ts';
import { emitToAll } from '../observability/worker-events.ts';
import { openRateLimitsBeside, type RateLimitStore } from '../rate-limit/limiter.ts';
import type { AccountId } from '../submission/ids.ts';
import { connectClient, connectWorker, openConnection, type TemporalSettings } from '../temporal/connect.ts';
import { createDataConverter } from '../temporal/data-converter.ts';
import { ensureSearchAttributes } from '../temporal/ensure-search-attributes.ts';
import { followCredentials } from '../temporal/follow-credentials.ts';
import { openTracing } from '../temporal/tracing.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { DUTIES, type Duty } from '../temporal-api/duties.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';
import { prepareAdmin } from './admin.ts';
import { type Closable, closeAll } from './close-all.ts';
import { createDeps } from './create-deps.ts';
import { OperationError } from './operation-error.ts';
import { waitForDatabase, waitForTemporal } from './wait-at-start.ts';
import { createClockWatch } from './watch-clock.ts';
import { type AskLedger, createLedgerProbe } from './watch-ledger.ts';
import { createCourierWorker } from './worker.ts';

export interface Connector {
  readonly deps: Deps;
  /** Why the ledger cannot be written; null when it can. */
  readonly askLedger: AskLedger;
  /** Shows a trouble of the worker, or its end, in the metrics. */
  setTrouble(trouble: Trouble, is: boolean): void;
  /** http://HOST:PORT of the listener for metrics and health. */
  readonly adminUrl?: string;
  /** Throws an OperationError (other_account) when the key of one belongs to another account than the ledger's. */
  confirmAccounts(ids: Iterable<AccountId>): Promise<void>;
  /** Closes the resource when the worker has ended, before what the worker itself uses. */
  keep(resource: Closable): void;
  /** Puts a rotated API key or certificate of the Temporal connection in force. Call it every few seconds. */
  refreshCredentials(): Promise<void>;
  /** Activities work with this configuration from now on. */
  replaceConfig(next: Config): void;
  /** Runs until `stop`, then releases everything. Rejects when the worker fails. */
  run(): Promise<void>;
  /**
   * Finishes what is in progress: a request in flight is completed and recorded, a crawl stops where it is. `failure`: with what
   * `run` rejects then.
   */
  stop(failure?: Error): void;
}

export interface ConnectorOptions {
  /** Whether to open the listener for metrics and health, where the configuration has one. */
  readonly serveAdmin?: boolean;
  /** Whether to wait, up to a limit, for a Postgres and a Temporal server that cannot be used yet. */
  readonly waits?: boolean;
  /** What the worker does. Default: everything. */
  readonly duties?: readonly Duty[];
  readonly version?: DeploymentVersion | undefined;
  /** Sees each response of a service as it came. */
  readonly onResponse?: ApiClientOptions['onResponse'];
  /** Address of Temporal's Web UI, where it is known. */
  readonly uiUrl?: string | null;
}

/** Assembles the modules: one worker for one configuration. */
export async function openConnector(
  config: Config,
  temporal: TemporalSettings,
  log: Logger,
  options: ConnectorOptions = {},
): Promise<Connector> {
  const opened: Closable[] = [];
  try {
    return await buildConnector(opened, config, temporal, log, options);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function openStorage({ ledgerUrl }: Config): Promise<{ ledger: Ledger; rateLimits: RateLimitStore }> {
  const ledger = await openLedger(ledgerUrl);
  try {
    return { ledger, rateLimits: await openRateLimitsBeside(ledger, ledgerUrl) };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** What it opens is in `opened`, also when it fails halfway. */
async function buildConnector(
  opened: Closable[],
  config: Config,
  temporal: TemporalSettings,
  log: Logger,
  { serveAdmin = false, waits = false, duties = DUTIES, version, uiUrl = null, onResponse }: ConnectorOptions,
): Promise<Connector> {
  const keep = <T extends Closable>(resource: T): T => {
    opened.push(resource);
    return resource;
  };
  const waiting = { log, now: Date.now, sleep };
  const reach = <T>(ask: () => Promise<T>): Promise<T> => (waits ? waitForTemporal(ask, waiting) : ask());
  const { ledger, rateLimits } = await (waits
    ? waitForDatabase(() => openStorage(config), waiting)
    : openStorage(config));
  keep(ledger);
  keep(rateLimits);
  const tracing = await openTracing(process.env, (message) => log.warn(message));
  if (tracing !== null) keep(tracing);
  const connected = await reach(() => connectClient(temporal, { interceptors: tracing?.client ?? [] }));
  const { client, connection, namespace } = connected;
  keep(connection);
  const notice = await reach(() => ensureSearchAttributes(connection, namespace));
  if (notice !== null) log.warn({ namespace }, notice);
  const admin = serveAdmin && config.admin !== null ? await prepareAdmin(config.admin) : null;
  let current = config;
  const stopping = new AbortController();
  let failed: Error | null = null;
  const writeEvent = createEventLog(log, Date.now);
  const setTrouble = (trouble: Trouble, is: boolean): void => admin?.metrics.setTrouble(trouble, is);
  const watchClock = createClockWatch({ now: Date.now, log, setTrouble });
  const deps = createDeps({
    ...{ getConfig: () => current, log, ledger, rateLimits, client, keep },
    now: Date.now,
    random: Math.random,
    stopping: stopping.signal,
    watchResponses: (account) => {
      const watch = watchClock(account);
      return (exchange, endpoint) => {
        watch(exchange);
        onResponse?.(exchange, endpoint);
      };
    },
    emit: admin === null ? writeEvent : emitToAll(writeEvent, admin.metrics.count),
  });
  const activities = createActivities(deps);
  const askLedger = createLedgerProbe(ledger);
  let isRunning = () => false;
  // Before there is a worker: one that was created and never ran keeps the process alive.
  const listener = await admin?.open({
    deps,
    rateLimits,
    connection,
    isRunning: () => isRunning(),
    askLedger,
    toLink: (run) => (uiUrl === null ? null : `${uiUrl}/namespaces/${namespace}/workflows/${encodeURIComponent(run)}`),
  });
  if (listener !== undefined) keep(listener);
  const { native, worker } = await reach(openWorker);
  isRunning = worker.isRunning;
  keep({ close: () => native.connection.close() });

  /** On a connection of its own: the core refuses another worker on that of one that failed. */
  async function openWorker() {
    // What each new worker asks, and fails with. The SDK leaves the threads of one that failed, which keep the process alive.
    await connection.workflowService.describeNamespace({ namespace });
    const native = { ...(await connectWorker(temporal, log, admin?.runtime)) };
    try {
      const worker = await createCourierWorker({
        connection: native.connection,
        namespace,
        taskQueue: getTaskQueue(ledger.id),
        activities,
        limits: config.worker,
        watches: config.watches.size,
        ...{ duties, version, tracing },
        dataConverter: createDataConverter(temporal),
      });
      return { native, worker };
    } catch (error) {
      await native.connection.close();
      throw error;
    }
  }

  return {
    deps,
    askLedger,
    setTrouble,
    ...(listener === undefined ? {} : { adminUrl: listener.address }),
    async confirmAccounts(ids) {
      for (const id of new Set(ids)) {
        await deps.confirmAccount(id).catch((error: unknown) => {
          if (!(error instanceof ApplicationFailure)) throw error;
          throw new OperationError('other_account', error.message);
        });
      }
    },
    keep,
    refreshCredentials: followCredentials(temporal, {
      log,
      setApiKey: (key) => native.connection.setApiKey(key),
      async reconnect() {
        const [client, next] = [
          await openConnection(temporal),
          await connectWorker(temporal, log, { keepRuntime: true }),
        ];
        worker.replaceConnection(next.connection);
        const former = native.connection;
        native.connection = next.connection;
        await connected.replace(client);
        await former.close();
      },
    }),
    replaceConfig(next) {
      current = next;
    },
    async run() {
      try {
        await worker.run();
      } finally {
        await closeAll(opened);
      }
      if (failed !== null) throw failed;
    },
    stop(failure) {
      failed ??= failure ?? null;
      stopping.abort(workerStops());
      worker.shutdown();
    },
  };
}
