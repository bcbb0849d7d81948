import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { requireWorker } from './requirements.ts';

/** A server whose task queue was last polled so many seconds ago, by one worker each. */
function polled(...seconds: readonly number[]): { readonly temporal: Connected; readonly queues: string[] } {
  const queues: string[] = [];
  const describeTaskQueue = async ({ taskQueue }: { taskQueue: { name: string } }) => {
    queues.push(taskQueue.name);
    const toTime = (ago: number) => ({ lastAccessTime: { seconds: BigInt(Math.floor(Date.now() / 1_000) - ago) } });
    return { pollers: seconds.map(toTime) };
  };
  const client = { workflowService: { describeTaskQueue } };
  return { temporal: { client, namespace: 'default' } as unknown as Connected, queues };
}

const require = ({ temporal }: ReturnType<typeof polled>) => requireWorker(temporal, 'l1' as LedgerId);

describe('requireWorker', () => {
  test('a worker that polled within the last 70 s counts as running', async () => {
    await require(polled(0));
    await require(polled(65));
    await require(polled(600, 65));
  });

  for (const [what, server] of [
    ['a worker that ended, which the server still lists', polled(75, 600)],
    ['no worker', polled()],
  ] as const) {
    test(`${what}: nothing is started, with exit code 5`, async () => {
      await assert.rejects(require(server), {
        exitCode: 5,
        message: /No worker of this ledger .* nothing was started/,
      });
    });
  }

  test("asks for the ledger's own task queue", async () => {
    const server = polled(0);
    await require(server);
    assert.deepEqual(server.queues, ['courier/l1']);
  });
});
