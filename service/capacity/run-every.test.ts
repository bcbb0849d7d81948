import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvery } from './run-every.ts';

describe('runEvery', () => {
  test('never runs twice at a time, survives an error, and ends after the turn that runs', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const turns: PromiseWithResolvers<void>[] = [];
    const errors: unknown[] = [];
    const stop = runEvery(
      1_000,
      () => {
        const turn = Promise.withResolvers<void>();
        turns.push(turn);
        return turn.promise;
      },
      (error) => errors.push(error),
    );
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    assert.equal(turns.length, 1, 'at once');
    t.mock.timers.tick(1_000);
    assert.equal(turns.length, 1, 'the first still runs');
    turns[0]?.reject(new Error('locked'));
    await settle();
    assert.equal(errors.length, 1);
    t.mock.timers.tick(1_000);
    assert.equal(turns.length, 2);
    let ended = false;
    const stopping = stop().then(() => {
      ended = true;
    });
    await settle();
    assert.equal(ended, false, 'waits for the second');
    turns[1]?.resolve();
    await stopping;
    t.mock.timers.tick(5_000);
    assert.equal(turns.length, 2);
  });
});
