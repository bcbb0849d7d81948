import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { takeTurns } from './take-turns.ts';

describe('work that takes turns', () => {
  test('runs in order, so much of it at a time, and goes on after a failure', async () => {
    const inTurn = takeTurns(2);
    const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const results = gates.map(({ promise }, at) =>
      inTurn(async () => {
        begun.push(at);
        await promise;
        return at;
      }),
    );
    const settled = Promise.allSettled(results);
    await Promise.resolve();
    assert.deepEqual(begun, [0, 1]);
    gates[1]!.reject(new Error('failed'));
    await results[1]!.catch(() => undefined);
    gates[0]!.resolve();
    await results[0];
    gates[2]!.resolve();
    await results[2];
    assert.deepEqual(begun.slice(0, 4), [0, 1, 2, 3]);
    assert.equal(begun.length <= 5, true);
    gates[3]!.resolve();
    gates[4]!.resolve();
    assert.deepEqual(
      (await settled).map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      [0, 'failed', 2, 3, 4],
    );
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  });
});
