import { Worker, type WorkerOptions, type WorkerTuner } from '@temporalio/worker';

/**
 * How long a worker that stops waits for what is in flight: longer than the API client's own deadline. What still runs
 * after `forceMs` is given up. Whatever ends a worker from outside must leave it longer (deploy/).
 */
export const SHUTDOWN = { graceMs: 100_000, forceMs: 110_000 } as const;

/** How many activities of a worker run at once. */
export interface ActivitySlots {
  /** Never more than this. */
  readonly maximum: number;
  /** Beyond this many, a slot is given only while the host has memory and processor time left. Default: `maximum`. */
  readonly minimum?: number;
}

/** Above these shares of the host (of its container's limits), no slot beyond the minimum is given. */
const TARGETS = { targetMemoryUsage: 0.8, targetCpuUsage: 0.9 };
const NONE = { type: 'fixed-size', numSlots: 1 } as const;

/** Creates a worker with this project's limits and shutdown. It works on workflows only with a bundle of their code. */
export async function createWorker({
  slots,
  ...options
}: Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue'>> &
  Pick<WorkerOptions, 'activities' | 'workflowBundle' | 'interceptors' | 'sinks'> & {
    readonly slots: ActivitySlots;
  }): Promise<Worker> {
  return Worker.create({
    ...options,
    tuner: toTuner(slots),
    // More polls while tasks wait, few while none does: an idle worker costs the server little.
    activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 2, initial: 2, maximum: 10 },
    maxCachedWorkflows: 300,
    shutdownGraceTime: SHUTDOWN.graceMs,
    shutdownForceTime: SHUTDOWN.forceMs,
  });
}

const toTuner = ({ minimum, maximum }: ActivitySlots): WorkerTuner => ({
  activityTaskSlotSupplier:
    minimum === undefined || minimum >= maximum
      ? { type: 'fixed-size', numSlots: maximum }
      : { type: 'resource-based', minimumSlots: minimum, maximumSlots: maximum, tunerOptions: TARGETS },
  workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 40 },
  localActivityTaskSlotSupplier: NONE,
  nexusTaskSlotSupplier: NONE,
});
