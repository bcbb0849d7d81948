import { fileURLToPath } from 'node:url';
import type { NativeConnection, Worker, WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { activityInterceptor } from '../../activities/interceptor.ts';
import { bundleWorkflows, createWorker } from '../temporal/worker.ts';
import type { Activities } from '../temporal-api/activities.ts';

/** The connector's workflow code, bundled once per process. */
export function courierWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflows(fileURLToPath(new URL('../../workflows/index.ts', import.meta.url)));
}

export interface CourierWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly activities: Activities;
  readonly taskQueue: string;
}

/** A worker for the connector's workflows and activities. */
export async function createCourierWorker({
  connection,
  namespace,
  activities,
  taskQueue,
}: CourierWorkerOptions): Promise<Worker> {
  return createWorker({
    connection,
    namespace,
    taskQueue,
    activities,
    workflowBundle: await courierWorkflows(),
    interceptors: { activity: [activityInterceptor] },
  });
}
