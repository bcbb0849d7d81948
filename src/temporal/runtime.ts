import { IllegalStateError } from '@temporalio/common';
import { type Logger as CoreLogger, type LogLevel, Runtime } from '@temporalio/worker';
import type { Logger } from '../observability/log.ts';

/** Where the SDK logs: our own log, or the log of a program that embeds a worker. */
export type RuntimeLogger = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error'>;

const PINO_LEVEL = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Routes the logs of Temporal's SDK and its native core into ours. A second call while installed changes nothing. The
 * SDK's INFO becomes our debug: worker starts and stops are routine.
 */
export function installRuntime(log: RuntimeLogger): void {
  const write = (level: LogLevel, message: string, meta?: Record<string | symbol, unknown>) => {
    log[PINO_LEVEL[level]]({ ...meta }, message);
  };
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
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
      // The program handles signals itself: it stops its workers in the order that loses nothing.
      shutdownSignals: [],
    });
  } catch (error) {
    // A worker of this process installed it.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
