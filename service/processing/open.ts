import type { Database } from '../../src/database/database.ts';
import type { RuntimeLogger } from '../../src/temporal/runtime.ts';
import type { Clock } from '../capacity/clock.ts';
import type { Health } from '../capacity/health.ts';
import { type ProcessingEvents, processingActivities } from './activities.ts';
import { runDeadlines } from './deadlines.ts';
import { runDispatcher } from './dispatcher.ts';
import { openProcessor } from './processors.ts';
import type { ProcessingSettings, TemporalOptions } from './settings.ts';

export interface OpenProcessing {
  /** A submission was accepted. */
  readonly accepted: () => void;
  readonly close: () => Promise<void>;
}

export type ConnectProcessing = typeof import('./temporal.ts').connectProcessing;

interface ProcessingDeps {
  readonly db: Database;
  readonly settings: ProcessingSettings;
  readonly temporal: TemporalOptions | undefined;
  /** Replaces the connection to Temporal. */
  readonly connect: ConnectProcessing | undefined;
  readonly health: Health;
  readonly clock: Clock;
  readonly log: RuntimeLogger;
  readonly events: ProcessingEvents & { expired(count: number): void };
  /** How long a stop may take, in milliseconds. */
  readonly stopMs: number;
}

const REPORT_MS = 5_000;

/** Enforces the deadlines, and starts the worker and the dispatcher where there is a Temporal to work with. */
export async function openProcessing({
  db,
  settings,
  temporal,
  connect,
  health,
  clock,
  log,
  events,
  stopMs,
}: ProcessingDeps): Promise<OpenProcessing> {
  const processor = openProcessor(settings);
  const onError = (error: unknown) => log.warn({ err: error }, 'processing waits for Temporal or the storage');
  const { refundFailed, sweepMs, deadlines } = settings;
  const onExpired = (count: number) => {
    events.expired(count);
    log.error({ count, refundFailed }, 'submissions reached their deadline: the rest of their URLs failed');
  };
  const closeDeadlines = runDeadlines({ db, deadlines, refundFailed }, clock, onExpired, onError);
  if (temporal === undefined) return { accepted: () => undefined, close: closeDeadlines };
  try {
    // Loaded only here: a service that processes nothing does without the SDK's 30 MB.
    const connectProcessing = connect ?? (await import('./temporal.ts')).connectProcessing;
    const { now } = clock;
    const activities = processingActivities({ db, processor, refundFailed, now, events });
    const processing = connectProcessing(temporal, activities, { log, onError, stopMs });
    const dispatcher = runDispatcher(db, processing.start, { sweepMs, now, onError });
    const report = () => void (processing.isReady() && health.reportWorker().catch(onError));
    processing.onReady(report);
    const timer = setInterval(report, REPORT_MS).unref();
    return {
      accepted: dispatcher.wake,
      async close() {
        clearInterval(timer);
        // Side by side: the worker may need all of the time that a stop has.
        await Promise.all([closeDeadlines(), dispatcher.close(), processing.close()]);
      },
    };
  } catch (error) {
    await closeDeadlines();
    throw error;
  }
}
