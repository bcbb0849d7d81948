import { DefaultLogger, Runtime } from '@temporalio/worker';

let asked = false;

/**
 * Prepares Temporal's SDK: only warnings, and signals left to the program, which stops in the order that loses nothing.
 * A program that embeds the service and has prepared the SDK itself keeps what it has.
 */
export function prepareRuntime(): void {
  if (asked) return;
  asked = true;
  try {
    Runtime.install({
      logger: new DefaultLogger('WARN'),
      telemetryOptions: { logging: { forward: {}, filter: { core: 'WARN', other: 'ERROR' } } },
      shutdownSignals: [],
    });
  } catch {
    // Installed by the embedding program: its choice stands.
  }
}
