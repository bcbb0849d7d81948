import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Workflow } from '@temporalio/common';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createLogger } from '../../src/observability/log.ts';
import { connectClient } from '../../src/temporal/connect.ts';
import { ensureSearchAttributes } from '../../src/temporal/ensure-search-attributes.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { type ActivityDuty, getDutyQueue } from '../../src/temporal-api/duties.ts';
import { NAMESPACE, temporalAddress } from '../support/temporal.ts';

/** A workflow with its arguments, and the code of a worker that has it. */
export interface OnServer extends Required<Pick<WorkerOptions, 'workflowBundle' | 'activities'>> {
  readonly workflow: string;
  readonly args?: unknown[];
  /** Duties whose queues its activities wait on, besides the queue of the workflow. */
  readonly duties?: readonly ActivityDuty[];
  /** Is awaited when the workflow has ended, well or not, before its result is handed on. */
  readonly ended?: (history: HistoryOnServer) => Promise<void>;
}

/** Where the history of a workflow is. */
export interface HistoryOnServer {
  readonly address: string;
  readonly workflowId: string;
}

/** Executes a workflow on the test server, with a worker of its own. */
export async function runOnServer(
  t: TestContext,
  { workflow, args = [], duties = [], ended = async () => undefined, ...code }: OnServer,
): Promise<HistoryOnServer & { readonly result: unknown }> {
  const address = await temporalAddress(t);
  installRuntime(createLogger('error', 'test'));
  const connection = await NativeConnection.connect({ address });
  const temporal = await connectClient({ address, namespace: NAMESPACE });
  t.after(async () => {
    await connection.close();
    await temporal.connection.close();
  });
  await ensureSearchAttributes(temporal.connection, NAMESPACE);
  const taskQueue = `test-${randomUUID()}`;
  const workflowId = randomUUID();
  const worker = await Worker.create({ connection, taskQueue, ...code });
  const { activities } = code;
  const more = await Promise.all(
    duties.map((duty) => Worker.create({ connection, taskQueue: getDutyQueue(taskQueue, duty), activities })),
  );
  const executed = temporal.client.workflow.execute<Workflow>(workflow, { taskQueue, workflowId, args });
  const history = { address, workflowId };
  const [outcome] = await Promise.allSettled([worker, ...more].map((each) => each.runUntil(executed)));
  await ended(history);
  if (outcome?.status !== 'fulfilled') throw outcome?.reason;
  return { result: outcome.value, ...history };
}
