import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, Worker, WorkflowBundleOption } from '@temporalio/worker';
import { createActivityInterceptor, type InterceptorOptions } from '../../activities/interceptor.ts';
import type { WorkerLimits } from '../config/config.ts';
import type { Tracing } from '../temporal/tracing.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { type ActivitySlots, createWorker } from '../temporal/worker.ts';
import { bundleWorkflows, findPrebuiltBundle } from '../temporal/workflow-code.ts';
import type { Activities } from '../temporal-api/activities.ts';
import { ACTIVITIES_OF, type ActivityDuty, DUTIES, type Duty, getDutyQueue } from '../temporal-api/duties.ts';

const WORKFLOWS = new URL('../../workflows/', import.meta.url);

/** The connector's workflow code: prebuilt in the package, bundled once per process in a checkout. */
export async function courierWorkflows({
  encodesFailures = false,
  ...options
}: {
  readonly traced?: boolean;
  /** Failures of workflows become payloads, which a codec encrypts. */
  readonly encodesFailures?: boolean;
} = {}): Promise<WorkflowBundleOption> {
  const bundle =
    findPrebuiltBundle(WORKFLOWS, options) ??
    (await bundleWorkflows(fileURLToPath(new URL('index.ts', WORKFLOWS)), options));
  if (!encodesFailures) return bundle;
  const code = 'codePath' in bundle ? readFileSync(bundle.codePath, 'utf8') : bundle.code;
  // On the first line, so that stack traces keep their lines (src/temporal/workflow-failures.ts).
  return { code: `globalThis.courierEncodesFailures = true; ${code}`, sourceMap: '' };
}

/** Names the workflow code of this installation, whatever is traced or encrypted. */
export async function digestWorkflows(): Promise<string> {
  const bundle = await courierWorkflows();
  const code = 'codePath' in bundle ? readFileSync(bundle.codePath, 'utf8') : bundle.code;
  return createHash('sha256').update(code).digest('base64url');
}

/** A crawl needs memory, and a site that never answers keeps its slot for hours. All other activities are one request. */
const toSlots = ({ slots, adaptiveCrawls }: WorkerLimits, duty: Duty, watches: number): ActivitySlots => {
  if (duty !== 'crawl') return { maximum: slots[duty] };
  // A watch has one run at a time. Few of them never need what is left of the host, and reading that takes as much of an idle
  // worker's processor time as its own work.
  if (watches <= adaptiveCrawls.minimum) return { maximum: Math.min(slots.crawl, adaptiveCrawls.minimum) };
  return { maximum: slots.crawl, adaptive: adaptiveCrawls };
};

export interface CourierWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: Activities;
  /** That of the ledger's workflow tasks. */
  readonly taskQueue: string;
  readonly limits: WorkerLimits;
  /** How many the configuration has at the start. */
  readonly watches: number;
  /** Default: all. */
  readonly duties?: readonly Duty[];
  /** Absent or null: no traces. */
  readonly tracing?: Tracing | null;
  /** Its version, where the namespace uses Worker Versioning. */
  readonly version?: DeploymentVersion | undefined;
  /** Absent: payloads are not encrypted. */
  readonly dataConverter?: DataConverter;
  /** How attempts are repeated. Default: as in production. */
  readonly retries?: InterceptorOptions;
}

/** The workers of one process, one for each of its duties. They begin and end together. */
export interface CourierWorker {
  /** Runs until `shutdown`. When one of them fails the others end too, and its error is thrown. */
  run(): Promise<void>;
  shutdown(): void;
  /** Polls and responds on another connection from now on. */
  replaceConnection(next: NativeConnection): void;
  isRunning(): boolean;
}

/** Creates a worker for each duty, on the duty's task queue. Only that of the workflows loads their code. */
export async function createCourierWorker({
  duties = DUTIES,
  ...options
}: CourierWorkerOptions): Promise<CourierWorker> {
  const workers: Worker[] = [];
  const isRunning = (worker: Worker) => worker.getState() === 'RUNNING';
  const shutdown = () => {
    for (const worker of workers.filter(isRunning)) worker.shutdown();
  };
  try {
    for (const duty of duties) workers.push(await createDutyWorker(duty, options));
  } catch (error) {
    // One that never ran would keep the process alive.
    const ending = workers.map((worker) => worker.run());
    shutdown();
    await Promise.allSettled(ending);
    throw error;
  }
  return {
    async run() {
      const running = workers.map((worker) => worker.run());
      try {
        await Promise.all(running);
      } finally {
        shutdown();
        await Promise.allSettled(running);
      }
    },
    shutdown,
    replaceConnection(next) {
      for (const worker of workers) worker.connection = next;
    },
    isRunning: () => workers.every(isRunning),
  };
}

async function createDutyWorker(
  duty: Duty,
  {
    connection,
    namespace,
    activities,
    taskQueue,
    limits,
    watches,
    version,
    tracing = null,
    dataConverter = {},
    retries = {},
  }: Omit<CourierWorkerOptions, 'duties'>,
): Promise<Worker> {
  const base = {
    ...{ connection, namespace, taskQueue: getDutyQueue(taskQueue, duty), version, dataConverter },
    // Traces see what the server sees: waits are not failures.
    interceptors: { activity: [...(tracing?.activity ?? []), createActivityInterceptor(retries)] },
    ...(tracing === null ? {} : { sinks: tracing.sinks }),
    slots: toSlots(limits, duty, watches),
    bounds: {
      workflowSlots: limits.slots.workflows,
      pollers: limits.pollers,
      cachedWorkflows: limits.cachedWorkflows,
    },
  };
  if (duty !== 'workflows') return createWorker({ ...base, activities: pick(activities, duty) });
  return createWorker({
    ...base,
    workflowBundle: await courierWorkflows({
      traced: tracing !== null,
      encodesFailures: dataConverter.failureConverterPath !== undefined,
    }),
  });
}

/** The activities of a duty, and `default`, which the SDK calls for every name that a worker does not have. */
const pick = (activities: Activities, duty: ActivityDuty): Partial<Activities> => {
  const names: readonly string[] = [...ACTIVITIES_OF[duty], 'default'];
  return Object.fromEntries(Object.entries(activities).filter(([name]) => names.includes(name)));
};
