import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NativeConnection } from '@temporalio/worker';
import { reportActivities } from '../../test/replay/example/activities.ts';
import { NAMESPACE, temporalAddress } from '../../test/support/temporal.ts';
import { createLogger } from '../observability/log.ts';
import { connectClient } from './connect.ts';
import { promoteBuild } from './deployment.ts';
import { resetAfterRollBack } from './roll-back.ts';
import { installRuntime } from './runtime.ts';
import { createWorker } from './worker.ts';
import { bundleWorkflows } from './workflow-code.ts';

const toPath = (version: string) =>
  fileURLToPath(new URL(`../../test/replay/example/workflows/${version}.ts`, import.meta.url));

/** The server learns of a build, and of what it works on, by its polls. */
async function eventually(work: () => Promise<void>): Promise<void> {
  for (const until = Date.now() + 120_000; ; await pause(200)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

describe('a roll-back', () => {
  test('sends a workflow back that has taken a step of the newer build', async (t) => {
    const address = await temporalAddress(t);
    installRuntime(createLogger('silent', 'test'));
    const connection = await NativeConnection.connect({ address });
    const temporal = await connectClient({ address, namespace: NAMESPACE });
    const client = temporal.client;
    const [taskQueue, deployment] = [`test-${randomUUID()}`, `deployment-${randomUUID()}`];
    const counting = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const activities = {
      ...reportActivities,
      async countCharges() {
        counting.resolve();
        await release.promise;
        return 3;
      },
    };
    const ending: (() => Promise<void>)[] = [];
    t.after(async () => {
      release.resolve();
      for (const end of ending) await end();
      await connection.close();
      await temporal.connection.close();
    });
    async function startBuild(build: string, workflows: string) {
      const worker = await createWorker({
        ...{ connection, namespace: NAMESPACE, taskQueue, activities, version: { deployment, build } },
        workflowBundle: await bundleWorkflows(toPath(workflows)),
        slots: { maximum: 5 },
        bounds: { workflowSlots: 10, pollers: 2, cachedWorkflows: 100 },
      });
      const running = worker.run();
      ending.push(async () => {
        worker.shutdown();
        await running;
      });
      await eventually(() => promoteBuild({ client, namespace: NAMESPACE }, { deployment, build }, 100));
    }

    await startBuild('1', 'v1');
    assert.equal(await resetAfterRollBack({ client, namespace: NAMESPACE }, { deployment, build: '1' }), 0);
    await startBuild('2', 'v2-patched');
    const { workflowId } = await client.workflow.start('weeklyReport', { taskQueue, workflowId: randomUUID() });
    await counting.promise;

    await promoteBuild({ client, namespace: NAMESPACE }, { deployment, build: '1' }, 100);
    const reset = await resetAfterRollBack({ client, namespace: NAMESPACE }, { deployment, build: '1' });
    release.resolve();
    assert.equal(reset, 1);
    assert.equal(await client.workflow.getHandle(workflowId).result(), '7 URLs', 'build 1 knows no charges');
  });
});
