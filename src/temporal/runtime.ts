import { IllegalStateError } from '@temporalio/common';
import { type Logger as CoreLogger, type LogLevel, Runtime } from '@temporalio/worker';
import type { Logger } from '../observability/log.ts';
import { foldRetries } from './fold-retries.ts';

/** Where the SDK logs: our own log, or the log of a program that embeds a worker. */
export type RuntimeLogger = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error'>;

export interface RuntimeOptions {
  /** HOST:PORT for the SDK's own Prometheus exporter. Absent: none. */
  readonly metricsAddress?: string;
}

const PINO_LEVEL = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** What the SDK warns of for each worker that has activities alone or workflows alone, as all of ours do. */
const ROUTINE: ReadonlySet<string> = new Set([
  'No workflows registered, not polling for workflow tasks',
  'No activities registered, not polling for activity tasks',
]);

/** The reason of a failed activity belongs to its line: a monitor reads the sentence, not the fields. */
function withReason(message: string, { error }: Readonly<Record<string | symbol, unknown>>): string {
  return message === 'Activity failed' && error instanceof Error ? `${message}: ${error.message}` : message;
}

/**
 * Routes the logs of Temporal's SDK and its native core into ours. A second call while installed changes nothing. The
 * SDK's INFO becomes our debug: worker starts and stops are routine.
 */
export function installRuntime(log: RuntimeLogger, { metricsAddress }: RuntimeOptions = {}): void {
  const fold = foldRetries({
    write: (level, message, meta) => log[PINO_LEVEL[level]]({ ...meta }, withReason(message, meta)),
    recovered: (message, meta) => log.info({ ...meta }, message),
    now: Date.now,
    schedule: (work, ms) => {
      const timer = setTimeout(work, ms).unref();
      return () => clearTimeout(timer);
    },
  });
  const write = (level: LogLevel, message: string, meta: Record<string | symbol, unknown> = {}) =>
    fold(ROUTINE.has(message) ? 'DEBUG' : level, message, meta);
  const logger: CoreLogger = {
    log: write,
    trace: (message, meta) => write('TRACE', message, meta),
    debug: (message, meta) => write('DEBUG', message, meta),
    info: (message, meta) => write('INFO', message, meta),
    warn: (message, meta) => write('WARN', message, meta),
    error: (message, meta) => write('ERROR', message, meta),
  };
  try {
    Runtime.install({
      logger,
      telemetryOptions: {
        logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } },
        ...(metricsAddress === undefined ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } }),
      },
      // The program handles signals itself: it stops its workers in the order that loses nothing.
      shutdownSignals: [],
    });
  } catch (error) {
    // A worker of this process has installed the runtime before.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
