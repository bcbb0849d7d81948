import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { ProcessingActivities } from './activities.ts';
import type { StartProcessing } from './dispatcher.ts';
import { prepareRuntime } from './runtime.ts';
import type { processSubmission } from './workflows/process-submission.ts';

export interface TemporalOptions {
  /** host:port */
  readonly address: string;
  readonly namespace?: string;
  readonly taskQueue?: string;
}

export const TASK_QUEUE = 'courier-service';
const RECONNECT_MS = 2_000;

export interface Processing {
  readonly start: StartProcessing;
  close(): Promise<void>;
}

const run = promisify(execFile);
let bundled: Promise<{ readonly code: string }> | undefined;

/** The workflow code for the SDK's sandbox, made once a process, in a process of its own (two to three seconds). */
function bundle(): Promise<{ readonly code: string }> {
  bundled ??= run(process.execPath, [fileURLToPath(new URL('./bundle.ts', import.meta.url))], {
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    ({ stdout }) => ({ code: stdout }),
    (error: unknown) => {
      // Tried again by the next one who asks.
      bundled = undefined;
      throw error;
    },
  );
  return bundled;
}

/**
 * Connects to Temporal in the background and stays at it: the service answers meanwhile, and goes on when Temporal
 * is there (again).
 */
export function connectProcessing(
  { address, namespace = 'default', taskQueue = TASK_QUEUE }: TemporalOptions,
  activities: ProcessingActivities,
  onError: (error: unknown) => void,
): Processing {
  prepareRuntime();
  const connection = Connection.lazy({ address, connectTimeout: 5_000 });
  const client = new Client({ connection, namespace });
  const stop = Promise.withResolvers<void>();
  let stopped = false;

  async function work(): Promise<void> {
    while (!stopped) {
      try {
        const workflowBundle = await bundle();
        const native = await NativeConnection.connect({ address });
        try {
          const worker = await Worker.create({
            connection: native,
            namespace,
            taskQueue,
            workflowBundle,
            activities,
            shutdownGraceTime: '10 seconds',
            maxConcurrentActivityTaskExecutions: 20,
          });
          await worker.runUntil(stop.promise);
        } finally {
          await native.close();
        }
      } catch (error) {
        if (stopped) return;
        onError(error);
        await Promise.race([stop.promise, new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref())]);
      }
    }
  }
  const working = work().catch(onError);

  return {
    async start(reference, service) {
      await connection.withDeadline(Date.now() + 5_000, () =>
        client.workflow.start<typeof processSubmission>('processSubmission', {
          workflowId: reference,
          taskQueue,
          args: [{ reference, service }],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `Process ${reference} (${service})`,
          priority: { priorityKey: service === 'fast' ? 1 : 3 },
        }),
      );
    },
    async close() {
      stopped = true;
      stop.resolve();
      await working;
      await connection.close();
    },
  };
}
