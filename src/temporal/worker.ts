import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  type NativeConnection,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import { TASK_QUEUE } from '../../workflows/ids.ts';

let bundled: Promise<WorkflowBundleWithSourceMap> | undefined;

/** Bundles the workflow code for the sandbox, once a process (about a second). */
export function workflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  bundled ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
  return bundled;
}

export interface WorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: Activities;
  /** Tests give every worker a queue of its own. */
  readonly taskQueue?: string;
}

/** Grace for a request on its way: longer than the API client's own deadline. */
const SHUTDOWN_GRACE = '70 seconds';

export async function createWorker({ connection, namespace, activities, taskQueue }: WorkerOptions): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: taskQueue ?? TASK_QUEUE,
    workflowBundle: await workflowBundle(),
    activities,
    maxConcurrentActivityTaskExecutions: 200,
    maxCachedWorkflows: 300,
    shutdownGraceTime: SHUTDOWN_GRACE,
    shutdownForceTime: '80 seconds',
  });
}
