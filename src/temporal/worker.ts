import { Worker, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';
import { TemporalUnreachableError } from './unreachable.ts';
import type { DeploymentVersion } from './version-status.ts';

/**
 * How long a worker that stops waits for what is in flight: longer than the API client's own deadline. What still runs
 * after `forceMs` is given up. Whatever ends a worker from outside must leave it longer (deploy/).
 */
export const SHUTDOWN = { graceMs: 100_000, forceMs: 110_000 } as const;

/** How many activities of a worker run at once. */
export interface ActivitySlots {
  /** Never more than this. */
  readonly maximum: number;
  /** Absent: the maximum, whatever the host has left. */
  readonly adaptive?: AdaptiveSlots;
}

/** Beyond the minimum a slot is given only below these shares of the host, or of its container's limits, in [0, 1]. */
export interface AdaptiveSlots {
  readonly minimum: number;
  readonly memory: number;
  readonly processor: number;
}

/** What every worker of a process is bounded by. */
export interface WorkerBounds {
  /** Workflow tasks at once. */
  readonly workflowSlots: number;
  readonly pollers: number;
  readonly cachedWorkflows: number;
}

const NONE = { type: 'fixed-size', numSlots: 1 } as const;

/**
 * Creates a worker with this project's limits and shutdown. It works on workflows only with a bundle of their code. Throws a
 * TemporalUnreachableError while the server does not answer.
 */
export async function createWorker({
  slots,
  bounds,
  version,
  ...options
}: Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue'>> &
  Pick<WorkerOptions, 'activities' | 'dataConverter' | 'workflowBundle' | 'interceptors' | 'sinks'> & {
    readonly slots: ActivitySlots;
    readonly bounds: WorkerBounds;
    /** With it the server sends work of its own version to this worker alone (Worker Versioning). */
    readonly version?: DeploymentVersion | undefined;
  }): Promise<Worker> {
  const creating = Worker.create({
    ...options,
    ...(version === undefined ? {} : { workerDeploymentOptions: toDeploymentOptions(version) }),
    tuner: toTuner(slots, bounds),
    // A poll that waits costs a request a minute. Autoscaling would turn ten times a second for each of them: with a queue for
    // each duty 0.3% of a core, for as long as nothing is to be done.
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: bounds.pollers },
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: bounds.pollers },
    maxCachedWorkflows: bounds.cachedWorkflows,
    shutdownGraceTime: SHUTDOWN.graceMs,
    shutdownForceTime: SHUTDOWN.forceMs,
  });
  return creating.catch((error: unknown) => {
    throw toUnreachable(error) ?? error;
  });
}

/** The server describes the namespace to each new worker. The core has no status for a failure of that, only a sentence. */
function toUnreachable(error: unknown): TemporalUnreachableError | null {
  const [, code = '', details] = /Status \{ code: (\w+), message: "([^"]*)"/.exec((error as Error).message) ?? [];
  if (!PASSING.has(code)) return null;
  return new TemporalUnreachableError(
    `The Temporal server does not describe its namespace to a worker (${details}). Nothing was submitted or charged. Try again ` +
      'when the server answers.',
    { cause: error },
  );
}

const PASSING = new Set(['Cancelled', 'DeadlineExceeded', 'ResourceExhausted', 'Aborted', 'Unavailable']);

/** What a workflow does when its build is no longer current is set beside its code; this is for those that say nothing. */
const toDeploymentOptions = ({ deployment, build }: DeploymentVersion) => ({
  version: { deploymentName: deployment, buildId: build },
  useWorkerVersioning: true as const,
  defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
});

const toTuner = ({ adaptive, maximum }: ActivitySlots, { workflowSlots }: WorkerBounds): WorkerTuner => ({
  activityTaskSlotSupplier:
    adaptive === undefined || adaptive.minimum >= maximum
      ? { type: 'fixed-size', numSlots: maximum }
      : {
          type: 'resource-based',
          minimumSlots: adaptive.minimum,
          maximumSlots: maximum,
          tunerOptions: { targetMemoryUsage: adaptive.memory, targetCpuUsage: adaptive.processor },
        },
  workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: workflowSlots },
  localActivityTaskSlotSupplier: NONE,
  nexusTaskSlotSupplier: NONE,
});
