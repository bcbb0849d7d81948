import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify';
import { BASE_PATH } from '../contract/version.ts';
import type { Database } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { openAdminListener } from '../src/observability/admin-listener.ts';
import { type Administration, administer } from './accounts/administration.ts';
import type { Operator } from './accounts/audit-events.ts';
import { BodyMemory } from './capacity/body-memory.ts';
import { openClock } from './capacity/clock.ts';
import { FairQueue } from './capacity/fair-queue.ts';
import { watchHealth } from './capacity/health.ts';
import { Load } from './capacity/load.ts';
import { shareDatabase, toQueueLimits } from './capacity/shared-database.ts';
import { OPERATOR_SHARE, Shares } from './capacity/shares.ts';
import { buildApp } from './http/app.ts';
import type { Context } from './http/context.ts';
import { readReadiness } from './http/health.ts';
import { DeniedPace } from './http/limits/denied-pace.ts';
import { localLimiter } from './http/limits/local-limiter.ts';
import { sharedLimiter } from './http/limits/shared-limiter.ts';
import { openProvider } from './index-check/providers.ts';
import type { IndexCheckSettings } from './index-check/settings.ts';
import { runSweeper } from './index-check/sweeper.ts';
import { createMetrics, type Sampled } from './metrics/metrics.ts';
import { readQueue } from './metrics/queue.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Operations, openOperations } from './operations/operations.ts';
import { runRetention } from './operations/retention.ts';
import { type ConnectProcessing, openProcessing } from './processing/open.ts';
import type { ProcessingSettings, TemporalOptions } from './processing/settings.ts';
import { type BudgetSettings, DEFAULT_SETTINGS, type ServiceSettings } from './settings.ts';

export interface ServiceOptions {
  /** `sqlite:PATH` or `postgres://…`. Created and brought up to date when needed. */
  readonly database: string;
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port?: number;
  /** Where submissions are processed. Absent: they are accepted and stay queued. */
  readonly temporal?: TemporalOptions;
  /** Replaces the connection to Temporal. */
  readonly connect?: ConnectProcessing;
  /** Every setting; the four below are short for the commonest of them. */
  readonly settings?: PartialSettings;
  readonly processor?: ProcessingSettings['processor'];
  readonly simulated?: ProcessingSettings['simulated'];
  readonly defaultService?: ServiceSettings['defaultService'];
  readonly limits?: Partial<BudgetSettings>;
  readonly logger?: NonNullable<FastifyServerOptions['logger']> | false;
  /** The clock of this host. On Postgres the service uses that of the database. */
  readonly now?: () => number;
}

/** Settings to change; the others keep their defaults. */
export type PartialSettings = Partial<Omit<ServiceSettings, 'budgets' | 'indexCheck' | 'processing'>> & {
  readonly budgets?: Partial<BudgetSettings>;
  readonly indexCheck?: Partial<IndexCheckSettings>;
  readonly processing?: Partial<ProcessingSettings>;
};

export interface Service {
  /** http://127.0.0.1:PORT/api/v1 */
  readonly baseUrl: string;
  /** http://HOST:PORT of /metrics, /healthz and /readyz, where there is such a listener. */
  readonly adminUrl?: string;
  readonly accounts: Administration;
  /** What the operator should know about the way it was started. */
  readonly notices: readonly string[];
  /** Answers the requests in flight, then lets go of everything. */
  close(): Promise<void>;
}

/** Opens the tables for the command line: what an operator does without a running service. */
export async function openAdministration(
  database: string,
  by?: Operator,
): Promise<{ accounts: Administration; operations: Operations; close(): Promise<void> }> {
  const db = openDatabase(database);
  try {
    await migrate(db, 'service', MIGRATIONS, Date.now());
    const { now } = await openClock(db);
    return { accounts: administer(db, now, by), operations: openOperations(db, now, by), close: () => db.close() };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Page cache of each of the two connections to SQLite: the index of one submission fits many times. */
const CACHE_MIB = 16;

/** Starts the whole service in this process. Throws a DatabaseUnavailableError when the storage is unavailable. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { database, host = '127.0.0.1', port = 0, now = Date.now } = options;
  const { postgres, https } = settingsFrom(options);
  await bringUpToDate(database, now);
  const db = openDatabase(database, { groupCommit: true, cacheMiB: CACHE_MIB, exclusive: true, postgres });
  const { app, ...service } = await openService(db, options);
  try {
    const address = await app.listen({ host, port });
    const notices = [...service.notices, ...(https || isLoopback(host) ? [] : [describePlainHttp(host)])];
    return { ...service, notices, baseUrl: `${address}${BASE_PATH}` };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** A service that does not listen: `app` answers what it is given. */
export interface OpenService extends Omit<Service, 'baseUrl'> {
  readonly app: FastifyInstance;
}

/** Opens the service over a database that is up to date. It closes the database with itself, also when it throws. */
export async function openService(db: Database, options: Omit<ServiceOptions, 'database'>): Promise<OpenService> {
  const { temporal, connect, logger = false, now: wall = Date.now } = options;
  const settings = settingsFrom(options);
  const closing = new Closing();
  closing.add(() => db.close());
  try {
    const clock = await openClock(db, { wall });
    // Before anything is accepted or swept, so that the time in which no process ran counts for nothing.
    await clock.look();
    const { now } = clock;
    const provider = openProvider(settings.indexCheck);
    const queue = new FairQueue(toQueueLimits(db));
    const health = watchHealth(db, now);
    let log: Pick<FastifyBaseLogger, 'warn'> | undefined;
    const onError = (message: string) => (error: unknown) => log?.warn({ err: error }, message);
    const budgetError = onError('the budgets of keys could not be written; they stay in memory');
    const { budgets } = settings;
    // On SQLite there is one process, which counts in memory and saves the counts; on Postgres there may be many.
    const limiter = db.dialect === 'postgres' ? sharedLimiter(budgets) : localLimiter(db, budgets, now, budgetError);
    closing.add(() => limiter.close());
    const metrics = createMetrics();
    const sweeper = runSweeper(db, now, {
      onRestored: metrics.restored,
      onError: onError('the charges of ended index-checks wait for the storage'),
    });
    closing.add(() => sweeper.close());
    let accepted = (): void => undefined;
    const context: Context = {
      ...{ db, settings, limiter, queue, provider, health, metrics, now },
      load: new Load(settings.load),
      shares: new Shares(),
      deniedPace: new DeniedPace(),
      bodies: new BodyMemory(settings.bodies),
      accepted: () => accepted(),
      restoreSoon: sweeper.restoreSoon,
    };
    const app = await buildApp(context, logger);
    log = app.log;
    const { stopMs } = settings;
    const processing = await openProcessing({
      ...{ db, settings: settings.processing, temporal, connect, health, clock, log: app.log },
      ...{ events: metrics, stopMs },
    });
    accepted = processing.accepted;
    // Side by side, so that both have the time of a stop and it is not twice as long.
    closing.add(async () => {
      // Both end before the database is closed, also when one of them fails.
      const ended = await Promise.allSettled([processing.close(), closeServer(app, stopMs)]);
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
    });
    const stopRetention = runRetention({ db, retention: settings.retention, budgets }, clock, {
      onDeleted: (deleted) => app.log.info({ deleted }, 'records beyond their retention were deleted'),
      onError: onError('records beyond their retention wait for the storage'),
    });
    closing.add(stopRetention);
    const admin =
      settings.admin === null
        ? null
        : await openAdminListener(settings.admin, {
            readReadiness: () => readReadiness(health),
            renderMetrics: () => metrics.render(() => sample(context)),
            onError: onError('an answer of the admin listener failed'),
          });
    if (admin !== null) closing.add(admin.close);
    const notices = temporal === undefined ? [NO_WORKER] : [];
    return {
      app,
      ...(admin === null ? {} : { adminUrl: admin.address }),
      accounts: administer(db, now),
      notices,
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** The figures of a scrape. What cannot be read is left out, and the others are still there. */
async function sample({ db, load, bodies, queue, now }: Context): Promise<Sampled> {
  const pool = db.getPool?.();
  const waiting = await readQueue(shareDatabase(db, queue, OPERATOR_SHARE), now()).catch(() => undefined);
  return {
    openRequests: load.total,
    bodyBytes: bodies.total,
    turns: queue.getState(),
    ...(pool === undefined ? {} : { pool }),
    ...(waiting === undefined ? {} : { queue: waiting }),
  };
}

const NO_WORKER =
  'No Temporal server is configured: submissions are accepted and charged, but this process processes none of them. ' +
  'They wait for another process, and fail at the deadline of their service level.';

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

const describePlainHttp = (host: string): string =>
  `The service listens at ${host} on plain HTTP: who can read the network can read API keys and passwords. Set tls, or ` +
  'set https to true when a proxy speaks HTTPS to customers (docs/guides/behind-a-proxy.md).';

/** Apart from the service's own connection, whose statements have short limits. */
async function bringUpToDate(database: string, now: () => number): Promise<void> {
  const db = openDatabase(database);
  try {
    await migrate(db, 'service', MIGRATIONS, now());
  } finally {
    await db.close();
  }
}

/** Answers the requests in flight; after `stopMs` it ends their connections, so that a slow client delays no stop. */
async function closeServer(app: FastifyInstance, stopMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), stopMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}

/** The steps of a stop, last opened first. A step that fails does not keep the others from being taken. */
class Closing {
  readonly #steps: (() => Promise<void>)[] = [];
  #closed: Promise<void> | undefined;

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  close(): Promise<void> {
    this.#closed ??= this.#run();
    return this.#closed;
  }

  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.toReversed()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

function settingsFrom({
  settings = {},
  processor,
  simulated,
  defaultService,
  limits,
}: Omit<ServiceOptions, 'database'>): ServiceSettings {
  const tls = settings.tls ?? null;
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    https: settings.https === true || tls !== null,
    ...(defaultService === undefined ? {} : { defaultService }),
    budgets: { ...DEFAULT_SETTINGS.budgets, ...settings.budgets, ...limits },
    indexCheck: { ...DEFAULT_SETTINGS.indexCheck, ...settings.indexCheck },
    processing: {
      ...DEFAULT_SETTINGS.processing,
      ...settings.processing,
      ...(processor === undefined ? {} : { processor }),
      ...(simulated === undefined ? {} : { simulated }),
    },
  };
}
