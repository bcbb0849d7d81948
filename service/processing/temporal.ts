import { fileURLToPath } from 'node:url';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { type Connected, connectClient, connectWorker } from '../../src/temporal/connect.ts';
import type { RuntimeLogger } from '../../src/temporal/runtime.ts';
import { bundleWorkflows, findPrebuiltBundle } from '../../src/temporal/workflow-code.ts';
import type { ProcessingActivities } from './activities.ts';
import type { StartProcessing } from './dispatcher.ts';
import type { TemporalOptions } from './settings.ts';
import type { processSubmission } from './workflows/process-submission.ts';

export const TASK_QUEUE = 'courier-service';
const RECONNECT_MS = 2_000;
const CONNECT_MS = 5_000;

export interface Processing {
  readonly start: StartProcessing;
  /** Whether a worker of this process takes work now. */
  isReady(): boolean;
  /** Calls back each time that a worker begins to take work. */
  onReady(callback: () => void): void;
  close(): Promise<void>;
}

interface Surroundings {
  readonly log: RuntimeLogger;
  readonly onError: (error: unknown) => void;
  /** After this long a stop gives up the activities that still run; another worker continues with them. */
  readonly stopMs: number;
}

const WORKFLOWS = new URL('./workflows/', import.meta.url);

/** The workflow code for the SDK's sandbox: prebuilt in the package, bundled in a checkout. */
const bundle = async (): Promise<WorkflowBundleOption> =>
  findPrebuiltBundle(WORKFLOWS) ?? bundleWorkflows(fileURLToPath(new URL('index.ts', WORKFLOWS)));

/**
 * Connects to Temporal in the background and keeps trying: the service answers meanwhile, and submissions are
 * processed as soon as Temporal answers.
 */
export function connectProcessing(
  { address = '', namespace = '', local = false, taskQueue = TASK_QUEUE }: TemporalOptions,
  activities: ProcessingActivities,
  { log, onError, stopMs }: Surroundings,
): Processing {
  const settings = { address, namespace, local };
  const stop = Promise.withResolvers<void>();
  let stopped = false;
  let ready = false;
  let callback = (): void => undefined;
  let connected: Promise<Connected> | undefined;

  /** The client's connection, made once; a failed attempt is repeated by the next caller. */
  function connect(): Promise<Connected> {
    connected ??= connectClient(settings, { timeoutMs: CONNECT_MS }).catch((error: unknown) => {
      connected = undefined;
      throw error;
    });
    return connected;
  }

  async function runWorkers(): Promise<void> {
    while (!stopped) {
      try {
        const workflowBundle = await bundle();
        const native = await connectWorker(settings, log, { keepRuntime: true });
        try {
          const worker = await Worker.create({
            connection: native.connection,
            namespace: native.namespace,
            taskQueue,
            workflowBundle,
            activities,
            shutdownGraceTime: stopMs / 2,
            shutdownForceTime: stopMs,
            maxConcurrentActivityTaskExecutions: 20,
          });
          const running = worker.runUntil(stop.promise);
          ready = true;
          callback();
          await running;
        } finally {
          ready = false;
          await native.connection.close();
        }
      } catch (error) {
        if (stopped) return;
        onError(error);
        await Promise.race([stop.promise, new Promise((resolve) => setTimeout(resolve, RECONNECT_MS).unref())]);
      }
    }
  }
  const working = runWorkers().catch(onError);

  return {
    isReady: () => ready,
    onReady(given) {
      callback = given;
    },
    async start(reference, service) {
      const { client, connection } = await connect();
      await connection.withDeadline(Date.now() + CONNECT_MS, () =>
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
      const last = await connected?.catch(() => undefined);
      await last?.connection.close();
    },
  };
}
