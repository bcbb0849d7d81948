import { Worker, type WorkerOptions } from '@temporalio/worker';

/** Grace for a request in flight: longer than the API client's own deadline. */
const SHUTDOWN_GRACE = '100 seconds';

/** Creates a worker with this project's limits and shutdown. */
export async function createWorker(
  options: Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue' | 'activities' | 'workflowBundle'>> &
    Pick<WorkerOptions, 'interceptors'>,
): Promise<Worker> {
  return Worker.create({
    ...options,
    maxConcurrentActivityTaskExecutions: 200,
    maxCachedWorkflows: 300,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: '110 seconds',
  });
}
