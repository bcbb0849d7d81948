import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LedgerId } from '../submission/ids.ts';
import { type BuildWatchOptions, createBuildWatch } from './watch-builds.ts';

/** A server whose task queues a worker of build 1 polls. */
function openScene() {
  const scene = { current: '1', failure: null as number | null };
  const lines: string[] = [];
  const troubles = new Map<string, boolean>();
  const describeTaskQueue = async () => {
    if (scene.failure !== null)
      throw Object.assign(new Error('no'), { code: scene.failure, details: 'namespace rate limit exceeded' });
    const toBuild = (buildId: string) => ({ deploymentName: 'courier', buildId });
    const poller = { lastAccessTime: { seconds: Math.floor(Date.now() / 1_000) }, identity: '1@a' };
    return {
      pollers: [{ ...poller, deploymentOptions: { ...toBuild('1'), workerVersioningMode: 2 } }],
      versioningInfo: { currentDeploymentVersion: toBuild(scene.current) },
    };
  };
  const client = { workflowService: { describeTaskQueue }, workflow: { list: async function* () {} } };
  const options = {
    temporal: { client, namespace: 'default' },
    ledger: 'l1' as LedgerId,
    version: undefined,
    log: { info: (text: string) => lines.push(text), warn: (text: string) => lines.push(text) },
    setTrouble: (trouble: string, is: boolean) => troubles.set(trouble, is),
  } as unknown as BuildWatchOptions;
  return { scene, lines, troubles, look: createBuildWatch(options) };
}

describe('createBuildWatch', () => {
  test('a build without workers is logged once and in the metrics, until workers take its work', async () => {
    const { scene, lines, troubles, look } = openScene();
    await look();
    assert.deepEqual([lines, troubles.get('build')], [[], false]);
    scene.current = '2';
    await look();
    await look();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /no worker of build 2 of courier is running.*start "courier worker .*--build 2"/);
    assert.equal(troubles.get('build'), true);
    scene.current = '1';
    await look();
    assert.deepEqual([lines.at(-1), troubles.get('build')], ['workers take all work of this ledger again', false]);
  });

  test('a server that is away or refuses is in the metrics, and the SDK logs it', async () => {
    const { scene, lines, troubles, look } = openScene();
    for (const code of [8, 14]) {
      scene.failure = code;
      await look();
      assert.deepEqual([lines, troubles.get('temporal')], [[], true]);
      scene.failure = null;
      await look();
      assert.equal(troubles.get('temporal'), false);
    }
  });

  test('a right that is missing is said once, and is no trouble of the server', async () => {
    const { scene, lines, troubles, look } = openScene();
    scene.failure = 7;
    await look();
    await look();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /does not let this connection see who works/);
    assert.equal(troubles.get('temporal'), false);
  });
});
