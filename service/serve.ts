import type { FastifyServerOptions } from 'fastify';
import { BASE_PATH } from '../contract/version.ts';
import { migrate } from '../src/database/migrate.ts';
import { openDatabase } from '../src/database/open.ts';
import { type Administration, administer } from './accounts/administration.ts';
import { buildApp } from './http/app.ts';
import { openLimiter } from './http/limits/limiter.ts';
import { openProvider } from './index-check/providers.ts';
import type { IndexCheckSettings } from './index-check/settings.ts';
import { runSweeper } from './index-check/sweeper.ts';
import { MIGRATIONS } from './migrations.ts';
import { type Operations, openOperations } from './operations/operations.ts';
import { openProcessing } from './processing/open.ts';
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
  /** Every setting; the four below are short for the commonest of them. */
  readonly settings?: PartialSettings;
  readonly processor?: ProcessingSettings['processor'];
  readonly simulated?: ProcessingSettings['simulated'];
  readonly defaultService?: ServiceSettings['defaultService'];
  readonly limits?: Partial<BudgetSettings>;
  readonly logger?: NonNullable<FastifyServerOptions['logger']> | false;
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
  readonly accounts: Administration;
  /** Answers the requests in flight, then lets go of everything. */
  close(): Promise<void>;
}

/** Opens the tables for the command line: what an operator does without a running service. */
export async function openAdministration(
  database: string,
): Promise<{ accounts: Administration; operations: Operations; close(): Promise<void> }> {
  const db = openDatabase(database);
  try {
    await migrate(db, 'service', MIGRATIONS, Date.now());
  } catch (error) {
    await db.close();
    throw error;
  }
  return { accounts: administer(db), operations: openOperations(db), close: () => db.close() };
}

/** Page cache of each of the two connections to SQLite: the index of one submission fits many times. */
const CACHE_MIB = 16;

/** Starts the whole service in this process. Throws a DatabaseUnavailableError when the storage is unavailable. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { database, host = '127.0.0.1', port = 0, temporal, logger = false, now = Date.now } = options;
  const settings = settingsFrom(options);
  const db = openDatabase(database, { groupCommit: true, cacheMiB: CACHE_MIB });
  const closing: (() => Promise<void>)[] = [() => db.close()];
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      for (const step of closing.toReversed()) await step();
    })();
    return closed;
  };
  try {
    await migrate(db, 'service', MIGRATIONS, now());
    const provider = openProvider(settings.indexCheck);
    const limiter = openLimiter(db, settings.budgets, now);
    closing.push(() => limiter.close());
    let accepted = (): void => undefined;
    const context = { db, settings, limiter, provider, now, accepted: () => accepted() };
    const app = await buildApp(context, logger);
    const onError = (error: unknown) =>
      app.log.warn({ err: error }, 'processing is waiting for Temporal or the storage');
    closing.push(runSweeper(db, now, onError));
    const processing = await openProcessing(db, settings.processing, temporal, now, app.log, onError);
    closing.push(processing.close);
    accepted = processing.accepted;
    closing.push(() => app.close());
    const address = await app.listen({ host, port });
    return { baseUrl: `${address}${BASE_PATH}`, accounts: administer(db, now), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsFrom({
  settings = {},
  processor,
  simulated,
  defaultService,
  limits,
}: ServiceOptions): ServiceSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
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
