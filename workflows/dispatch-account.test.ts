import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DispatchStep } from '../src/temporal-api/payloads.ts';
import { PlayedWorkflow } from '../test/support/play-workflow.ts';

const SENT = { kind: 'sent', batch: 7, watch: 'shop', urls: 5, service: 'fast', outcome: 'accepted' };

const play = (steps: readonly unknown[], more: { readonly suggestsNew?: boolean; readonly input?: object } = {}) => {
  const left = [...steps] as DispatchStep[];
  return PlayedWorkflow.start(
    'dispatchAccount',
    { account: 'main', ...more.input },
    { sendNextBatch: () => left.shift() ?? { kind: 'idle' } },
    more,
  );
};

describe('dispatchAccount', () => {
  test('sends the next batch at once, on the queue of its duty, before all else that waits there', async () => {
    const { commands } = await play([SENT, SENT]);
    const asked = commands.filter(({ kind }) => kind === 'activity' || kind === 'timer');
    assert.equal(asked.length, 3);
    for (const command of asked) {
      assert.ok(command.kind === 'activity');
      assert.deepEqual(
        [command.type, command.args],
        ['sendNextBatch', '[{"account":"main","waits":{"fromMs":20000,"attempts":0,"since":null}}]'],
      );
      assert.deepEqual([command.options.taskQueue, command.options.priorityKey], ['/submit', 1]);
    }
  });

  test('waits for money behind all that it could send', async () => {
    const played = await play([{ kind: 'suspended', reason: 'balance 1.00 TRY' }]);
    const last = played.list('activity').at(-1)!;
    assert.deepEqual([last.type, last.options.taskQueue, last.options.priorityKey], ['awaitMoney', '/submit', 4]);
  });

  test('carries on what it has sent where its history is long enough', async () => {
    const played = await play([SENT], { suggestsNew: true, input: { sentBatches: 2, sentUrls: 30 } });
    assert.deepEqual(
      played.list('continue').map(({ args }) => JSON.parse(args)),
      [[{ account: 'main', sentBatches: 3, sentUrls: 35 }]],
    );
  });
});
