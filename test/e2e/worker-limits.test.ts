/** What the configuration says of a worker's limits is what Temporal's workers are created with. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { createCourierWorker } from '../../src/connector/worker.ts';
import { createLogger } from '../../src/observability/log.ts';
import { installRuntime } from '../../src/temporal/runtime.ts';
import type { Activities } from '../../src/temporal-api/activities.ts';
import { DUTIES } from '../../src/temporal-api/duties.ts';
import { temporalAddress } from '../support/temporal.ts';

const LIMITS = {
  slots: { workflows: 3, crawl: 7, submit: 11, track: 13, check: 5 },
  adaptiveCrawls: { minimum: 2, memory: 0.6, processor: 0.7 },
  pollers: 2,
  cachedWorkflows: 17,
} as const;

const fixed = (numSlots: number) => ({ type: 'fixed-size', numSlots });
const ADAPTIVE = {
  type: 'resource-based',
  ...{ minimumSlots: 2, maximumSlots: 7 },
  tunerOptions: { targetMemoryUsage: 0.6, targetCpuUsage: 0.7 },
};

for (const { watches, crawl, why } of [
  { watches: 3, crawl: ADAPTIVE, why: 'more watches than crawls that may always start' },
  { watches: 2, crawl: fixed(2), why: 'no more watches than these: the host is not read' },
])
  describe(`the limits of a worker with ${why}`, () => {
    test('reach the workers of all duties', async (t) => {
      installRuntime(createLogger('error', 'test'));
      const connection = await NativeConnection.connect({ address: await temporalAddress(t) });
      const create = mock.method(Worker, 'create');
      t.after(() => create.mock.restore());
      const activities = { default: async () => undefined } as unknown as Activities;
      const worker = await createCourierWorker({
        ...{ connection, namespace: 'default', taskQueue: 'limits', activities, limits: LIMITS, watches },
      });
      t.after(async () => {
        const running = worker.run();
        worker.shutdown();
        await running;
        await connection.close();
      });
      const created = create.mock.calls.map(({ arguments: [options] }) => options as WorkerOptions);
      const expected = { workflows: fixed(3), crawl, submit: fixed(11), track: fixed(13), check: fixed(5) };
      assert.deepEqual(
        created.map(({ tuner }) => tuner && 'activityTaskSlotSupplier' in tuner && tuner.activityTaskSlotSupplier),
        DUTIES.map((duty) => expected[duty]),
      );
      for (const { tuner, maxCachedWorkflows, activityTaskPollerBehavior, workflowTaskPollerBehavior } of created) {
        assert.deepEqual(tuner && 'workflowTaskSlotSupplier' in tuner && tuner.workflowTaskSlotSupplier, fixed(3));
        assert.equal(maxCachedWorkflows, 17);
        for (const behavior of [activityTaskPollerBehavior, workflowTaskPollerBehavior])
          assert.deepEqual(behavior, { type: 'simple-maximum', maximum: 2 });
      }
    });
  });
