/** Worker Versioning: two builds of the worker on one ledger, from the first to the second and back. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startService } from '../../service/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openConnector } from '../../src/connector/connector.ts';
import { createLogger } from '../../src/observability/log.ts';
import { findCurrentBuild, listVersions, promoteBuild } from '../../src/temporal/deployment.ts';
import { type CommandRun, courier, ofType, publish } from '../support/cli.ts';
import { emptyDatabaseUrl } from '../support/database.ts';
import { AMPLE } from '../support/service.ts';
import { openShopFolder } from '../support/shop-folder.ts';
import { temporalAddress } from '../support/temporal.ts';

const namespace = 'default';

async function startBuild(t: TestContext, folder: string, version: { deployment: string; build: string }) {
  const config = loadConfig(join(folder, 'courier.yaml'));
  const address = await temporalAddress(t);
  const connector = await openConnector(config, { address, namespace }, createLogger('silent', 'test'), { version });
  const working = connector.run();
  t.after(async () => {
    connector.stop();
    await working;
  });
  return connector.deps.client;
}

/** The server learns of a build by its first poll. */
async function eventually<T>(work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + 30_000; ; await pause(200)) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

const runOf = (run: CommandRun): string => {
  const id = /courier approve (\S+)"/.exec(run.stderr)?.[1];
  return id ?? assert.fail(run.stderr);
};

describe('two builds of the worker', () => {
  test('a held run ends on its build, new runs are on the promoted one, and a roll-back sends them back', async (t) => {
    const service = await startService({ database: emptyDatabaseUrl(t, 'sqlite'), settings: { budgets: AMPLE } });
    t.after(() => service.close());
    const folder = await openShopFolder(t, service, await temporalAddress(t), { watch: 'guard: { max_new: 2 }' });
    const deployment = `courier-${randomUUID()}`;
    const client = await startBuild(t, folder, { deployment, build: '1' });
    const temporal = { client, namespace };
    const buildOf = async (workflowId: string) => {
      const { raw } = await client.workflow.getHandle(workflowId).describe();
      return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
    };
    const runAndFindBuild = async () => {
      const run = await courier(folder, 'run');
      assert.equal(run.code, 0, run.stderr);
      return buildOf(String(ofType(run, 'run')[0]?.run));
    };

    await eventually(() => promoteBuild(temporal, { deployment, build: '1' }, 100));
    publish(folder, ['1', '2', '3']);
    const held = await courier(folder, 'run');
    assert.equal(held.code, 8, held.stderr);
    const first = runOf(held);
    assert.equal(await buildOf(first), '1');

    await startBuild(t, folder, { deployment, build: '2' });
    const shares = await eventually(async () => {
      const promoted = await courier(folder, 'deployments', 'promote', deployment, '2', '--percent', '25');
      assert.equal(promoted.code, 0, promoted.stderr);
      return listVersions(temporal, deployment);
    });
    assert.deepEqual(
      shares.map(({ build, state, percent }) => [build, state, percent]),
      [
        ['2', 'ramping', 25],
        ['1', 'current', 75],
      ],
    );

    await promoteBuild(temporal, { deployment, build: '2' }, 100);
    assert.equal(await findCurrentBuild(temporal, deployment), '2');
    const approved = await courier(folder, 'approve', first);
    assert.equal(approved.code, 0, approved.stderr);
    await client.workflow.getHandle(first).result();
    assert.equal(await buildOf(first), '1', 'a run is pinned to its build');

    publish(folder, ['1', '2', '3', '4']);
    assert.equal(await runAndFindBuild(), '2');

    await promoteBuild(temporal, { deployment, build: '1' }, 100);
    publish(folder, ['1', '2', '3', '4', '5']);
    assert.equal(await runAndFindBuild(), '1', 'rolled back');

    const listed = await courier(folder, 'deployments', 'list', deployment);
    assert.equal(listed.code, 0, listed.stderr);
    assert.deepEqual(
      ofType(listed, 'build').map(({ build, state }) => [build, state === 'current']),
      [
        ['2', false],
        ['1', true],
      ],
    );
  });
});
