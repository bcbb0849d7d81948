import { Worker, type WorkerOptions } from '@temporalio/worker';

/**
 * How long a worker that stops waits for what is in flight: longer than the API client's own deadline. What still runs
 * after `forceMs` is given up. Whatever ends a worker from outside must leave it longer (deploy/).
 */
export const SHUTDOWN = { graceMs: 100_000, forceMs: 110_000 } as const;

/** Creates a worker with this project's limits and shutdown. */
export async function createWorker(
  options: Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue' | 'activities' | 'workflowBundle'>> &
    Pick<WorkerOptions, 'interceptors'>,
): Promise<Worker> {
  return Worker.create({
    ...options,
    maxConcurrentActivityTaskExecutions: 200,
    maxCachedWorkflows: 300,
    shutdownGraceTime: SHUTDOWN.graceMs,
    shutdownForceTime: SHUTDOWN.forceMs,
  });
}
