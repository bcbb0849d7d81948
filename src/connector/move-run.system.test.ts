import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { NAMESPACE, temporalAddress } from '../../test/support/temporal.ts';
import { toWorkerLimits } from '../config/resolve.ts';
import { createLogger } from '../observability/log.ts';
import type { LedgerId } from '../submission/ids.ts';
import { connectClient } from '../temporal/connect.ts';
import { promoteBuild, recordCode } from '../temporal/deployment.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { createWorker } from '../temporal/worker.ts';
import { bundleWorkflows } from '../temporal/workflow-code.ts';
import type { Activities } from '../temporal-api/activities.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';
import { moveRun } from './move-run.ts';
import { createCourierWorker, digestWorkflows } from './worker.ts';

/** A former release, whose runs waited before anything else. */
const FORMER = `import { setWorkflowOptions, sleep } from '@temporalio/workflow';
setWorkflowOptions({ versioningBehavior: 'PINNED' }, watchSitemap);
export async function watchSitemap() { await sleep('1 day'); }
`;

function writeFormer(t: TestContext): string {
  // In the tree, because the bundler looks for the SDK from there.
  const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.cache/former-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'index.ts');
  writeFileSync(file, FORMER);
  return file;
}

/** The server learns of a build, and of what it works on, by its polls. */
async function eventually(work: () => Promise<void>): Promise<void> {
  for (const until = Date.now() + 60_000; ; await pause(200)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

describe('moveRun', () => {
  test('refuses what the other build cannot continue, or what nobody can try here', async (t) => {
    const address = await temporalAddress(t);
    installRuntime(createLogger('silent', 'test'));
    const connection = await NativeConnection.connect({ address });
    const temporal = await connectClient({ address, namespace: NAMESPACE });
    const { client } = temporal;
    const [ledger, deployment] = [`move${randomUUID().slice(0, 4)}` as LedgerId, `deployment-${randomUUID()}`];
    const taskQueue = getTaskQueue(ledger);
    const base = { connection, namespace: NAMESPACE, taskQueue };
    const ending: (() => Promise<void>)[] = [];
    t.after(async () => {
      for (const end of ending) await end();
      await connection.close();
      await temporal.connection.close();
    });
    const work = (worker: { run(): Promise<void>; shutdown(): void }) => {
      const running = worker.run();
      ending.push(async () => {
        worker.shutdown();
        await running;
      });
    };
    const move = (run: string, build: string) =>
      moveRun({ temporal, ledger, dataConverter: {} }, run, build).then((moved) =>
        moved.kind === 'refused' ? `${moved.why}: ${moved.next}` : moved.kind,
      );

    const former = writeFormer(t);
    const lost = `watch/${ledger}/shop/lost`;
    assert.match(await move(lost, '2'), /^no run "watch\/.*lost" is active/);
    // It does no duty but the workflows, so the run has no worker for the rest from the beginning.
    work(
      await createWorker({
        ...{ ...base, version: { deployment, build: '1' } },
        workflowBundle: await bundleWorkflows(former, { store: dirname(former) }),
        slots: { maximum: 5 },
        bounds: { workflowSlots: 10, pollers: 2, cachedWorkflows: 100 },
      }),
    );
    await eventually(() => promoteBuild(temporal, { deployment, build: '1' }, 100));
    const run = `watch/${ledger}/shop/1`;
    await client.workflow.start('watchSitemap', { taskQueue, workflowId: run });
    await eventually(async () => {
      const { raw } = await client.workflow.getHandle(run).describe();
      assert.equal(raw.workflowExecutionInfo?.versioningInfo?.behavior, 1);
    });
    assert.match(
      await move(run, '2'),
      /^build 2 of .* has no worker that does workflows, .*: start "courier worker --deployment .* --build 2"$/,
    );

    work(
      await createCourierWorker({
        ...{ ...base, version: { deployment, build: '2' } },
        activities: { default: async () => undefined } as unknown as Activities,
        limits: toWorkerLimits({}),
        watches: 1,
      }),
    );
    await eventually(async () => assert.match(await move(run, '2'), /has recorded which workflow code it runs: wait/));
    await eventually(() => recordCode(temporal, { deployment, build: '2' }, 'of another release'));
    assert.match(await move(run, '2'), /has other workflow code .*: run the command where the workers of build 2 are/);
    await recordCode(temporal, { deployment, build: '2' }, await digestWorkflows());
    assert.match(
      await move(run, '2'),
      /^the workflow code of build 2 of .* cannot continue the run \(.+\): start "courier worker --deployment .* --build 1"$/,
    );
    const { raw } = await client.workflow.getHandle(run).describe();
    assert.equal(raw.workflowExecutionInfo?.versioningInfo?.versioningOverride, null, 'nothing was changed');
    await client.workflow.getHandle(run).terminate();
  });
});
