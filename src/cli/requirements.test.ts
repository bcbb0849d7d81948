import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { requireCurrentBuild, requireWorker } from './requirements.ts';

const WORKFLOW_TASKS = 1;
const ALL = ['courier/l1', 'courier/l1/crawl', 'courier/l1/submit', 'courier/l1/track', 'courier/l1/check'];

/** A server whose task queues were last polled so many seconds ago, by one worker each. */
function polled(seconds: readonly number[], queues: readonly string[] = ALL, current: object | null = null): Connected {
  const describeTaskQueue = async (asked: { taskQueue: { name: string }; taskQueueType: number }) => {
    const { name } = asked.taskQueue;
    const toTime = (ago: number) => ({ lastAccessTime: { seconds: BigInt(Math.floor(Date.now() / 1_000) - ago) } });
    const ofWorkflows = asked.taskQueueType === WORKFLOW_TASKS;
    const pollers = queues.includes(name) && ofWorkflows === (name === ALL[0]) ? seconds.map(toTime) : [];
    return { pollers, versioningInfo: { currentDeploymentVersion: current } };
  };
  const client = { workflowService: { describeTaskQueue } };
  return { client, namespace: 'default' } as unknown as Connected;
}

const require = (temporal: Connected) => requireWorker(temporal, 'l1' as LedgerId);

describe('requireWorker', () => {
  test('a worker that polled within the last 70 s counts as running', async () => {
    await require(polled([0]));
    await require(polled([65]));
    await require(polled([600, 65]));
  });

  for (const [what, server] of [
    ['a worker that ended, which the server still lists', polled([75, 600])],
    ['no worker', polled([])],
  ] as const) {
    test(`${what}: nothing is started, with exit code 5`, async () => {
      await assert.rejects(require(server), {
        exitCode: 5,
        message: /No worker of this ledger .* Nothing was started/,
      });
    });
  }

  test('a duty that no worker does is named, with what starts it', async () => {
    await assert.rejects(require(polled([0], [ALL[0]!, ALL[2]!, ALL[4]!])), {
      exitCode: 5,
      message:
        /No worker of this ledger does crawl, track\. .* Start "courier worker --duty crawl track", or add --once/,
    });
  });

  test('a worker of another ledger does not count', async () => {
    await assert.rejects(
      require(
        polled(
          [0],
          ALL.map((queue) => queue.replace('l1', 'l2')),
        ),
      ),
      { exitCode: 5 },
    );
  });
});

describe('requireCurrentBuild', () => {
  const check = (temporal: Connected) => requireCurrentBuild(temporal, 'l1' as LedgerId);

  test('a command with --once works by itself where no build is current', async () => {
    await check(polled([]));
  });

  test('it is given nothing where a build without workers is current: exit code 5, and what to start', async () => {
    await assert.rejects(check(polled([0], ALL, { deploymentName: 'courier', buildId: '2' })), {
      exitCode: 5,
      message:
        /No worker of build 2 .* Nothing was started or charged\. Start "courier worker --deployment courier --build 2"\.$/,
    });
  });
});
