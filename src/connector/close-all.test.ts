import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeAll } from './close-all.ts';

describe('closeAll', () => {
  test('closes in reverse order, each also after a failure, and rejects with the first error', async () => {
    const closed: string[] = [];
    const resource = (name: string, fails = false) => ({
      async close() {
        closed.push(name);
        if (fails) throw new Error(`${name} cannot be closed`);
      },
    });
    await assert.rejects(closeAll([resource('ledger'), resource('client', true), resource('worker', true)]), {
      message: 'worker cannot be closed',
    });
    assert.deepEqual(closed, ['worker', 'client', 'ledger']);
  });
});
