import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pauseForOthers } from './yield-to-event-loop.ts';

describe('pauseForOthers', () => {
  test('of many that pause, one goes on in each turn of the event loop, in their order', async () => {
    const resumed: number[] = [];
    const work = async (name: number) => {
      for (let part = 0; part < 3; part++) {
        await pauseForOthers();
        resumed.push(name);
      }
    };
    const all = Promise.all([1, 2, 3].map(work));
    let largest = 0;
    for (let turn = 0; turn < 40 && resumed.length < 9; turn++) {
      const before = resumed.length;
      await nextTurn();
      largest = Math.max(largest, resumed.length - before);
    }
    await all;
    assert.equal(largest, 1);
    assert.deepEqual(resumed, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });
});
