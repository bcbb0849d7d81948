import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import type { InterceptorOptions } from '../../activities/interceptor.ts';
import { toWorkerLimits } from '../../src/config/resolve.ts';
import { createCourierWorker } from '../../src/connector/worker.ts';
import { createLogger } from '../../src/observability/log.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { ensureSearchAttributes } from '../../src/temporal/ensure-search-attributes.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';
import type { Activities } from '../../src/temporal-api/activities.ts';

export const NAMESPACE = 'default';

/** The address of the test run's Temporal server; a file run by itself gets a server of its own. */
export async function temporalAddress(t: TestContext): Promise<string> {
  const shared = process.env.COURIER_TEST_TEMPORAL;
  if (shared !== undefined) return shared;
  const server = await startDevServer({ binary: await findTemporalBinary(() => undefined), headless: true });
  t.after(() => server.stop());
  return server.address;
}

export interface TestTemporal {
  readonly client: Client;
  readonly taskQueue: string;
  readonly address: string;
  /** Registers what needs the client and worker once more before they end. */
  beforeEnd(work: () => Promise<void>): void;
}

/**
 * A client and a worker on a task queue of its own, with the activities given; both end with the test. A workflow that calls
 * another activity fails at once and names it: Temporal would retry an unknown activity without an end.
 */
export async function withWorker(
  t: TestContext,
  activities: Partial<Activities>,
  retries: InterceptorOptions = {},
): Promise<TestTemporal> {
  const address = await temporalAddress(t);
  const connection = await Connection.connect({ address });
  await ensureSearchAttributes(connection, NAMESPACE);
  installRuntime(createLogger('error', 'test'));
  const native = await NativeConnection.connect({ address });
  const taskQueue = `test-${randomUUID()}`;
  const worker = await createCourierWorker({
    connection: native,
    namespace: NAMESPACE,
    activities: { ...activities, default: failMissing(t) } as Activities,
    taskQueue,
    limits: toWorkerLimits({}),
    watches: 1,
    retries,
  });
  const running = worker.run();
  const last: (() => Promise<void>)[] = [];
  t.after(async () => {
    try {
      for (const work of last) await work();
    } finally {
      worker.shutdown();
      await running;
      await native.close();
      await connection.close();
    }
  });
  return {
    client: new Client({ connection, namespace: NAMESPACE }),
    taskQueue,
    address,
    beforeEnd: (work) => last.push(work),
  };
}

/** The SDK calls the activity `default` for every name that the worker does not have. */
function failMissing(t: TestContext): () => Promise<never> {
  return async () => {
    const { activityType } = Context.current().info;
    const message = `The workflow calls the activity ${activityType}, which this scenario does not give to withWorker().`;
    t.diagnostic(message);
    throw ApplicationFailure.nonRetryable(message, 'MissingActivity');
  };
}
