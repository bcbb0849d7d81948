import { fileURLToPath } from 'node:url';
import type { NativeConnection, Worker, WorkflowBundleOption } from '@temporalio/worker';
import { activityInterceptor } from '../../activities/interceptor.ts';
import { createWorker } from '../temporal/worker.ts';
import { bundleWorkflows, findPrebuiltBundle } from '../temporal/workflow-code.ts';
import type { Activities } from '../temporal-api/activities.ts';

const WORKFLOWS = new URL('../../workflows/', import.meta.url);

/** The connector's workflow code: prebuilt in the package, bundled once per process in a checkout. */
export async function courierWorkflows(): Promise<WorkflowBundleOption> {
  return findPrebuiltBundle(WORKFLOWS) ?? bundleWorkflows(fileURLToPath(new URL('index.ts', WORKFLOWS)));
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
