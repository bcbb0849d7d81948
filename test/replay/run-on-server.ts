import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Workflow } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createLogger } from '../../src/observability/log.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { NAMESPACE, temporalAddress } from '../support/temporal.ts';

/** A workflow with its arguments, and the code of a worker that has it. */
export interface OnServer extends Required<Pick<WorkerOptions, 'workflowBundle' | 'activities'>> {
  readonly workflow: string;
  readonly args?: unknown[];
}

/** Executes a workflow on the test server, with a worker of its own. Returns its result, and where its history is. */
export async function runOnServer(
  t: TestContext,
  { workflow, args = [], ...code }: OnServer,
): Promise<{ readonly result: unknown; readonly address: string; readonly workflowId: string }> {
  const address = await temporalAddress(t);
  installRuntime(createLogger('error', 'test'));
  const connection = await NativeConnection.connect({ address });
  const temporal = await connectClient({ address, namespace: NAMESPACE });
  t.after(async () => {
    await connection.close();
    await temporal.connection.close();
  });
  const taskQueue = `test-${randomUUID()}`;
  const workflowId = randomUUID();
  const worker = await Worker.create({ connection, taskQueue, ...code });
  const executed = temporal.client.workflow.execute<Workflow>(workflow, { taskQueue, workflowId, args });
  return { result: await worker.runUntil(executed), address, workflowId };
}
