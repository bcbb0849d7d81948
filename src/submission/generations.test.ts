import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nextGeneration } from './generations.ts';

const policy = { times: 2, afterMs: 1000 };

describe('generations', () => {
  test('a failed URL is bought again with a doubling delay, then quarantined with the reason', () => {
    assert.deepEqual(nextGeneration(1, 50, policy), { kind: 'again', notBefore: 1050 });
    assert.deepEqual(nextGeneration(2, 50, policy), { kind: 'again', notBefore: 2050 });
    assert.deepEqual(nextGeneration(3, 50, policy, 'HTTP 404'), {
      kind: 'quarantine',
      reason: { code: 'failed_too_often', failures: 3, text: 'HTTP 404' },
    });
  });

  test('where nothing is to be bought again, the first failure is the last', () => {
    assert.deepEqual(nextGeneration(1, 50, { ...policy, times: 0 }), {
      kind: 'quarantine',
      reason: { code: 'failed_too_often', failures: 1, text: null },
    });
  });

  test('the wait stays within a month', () => {
    const next = nextGeneration(60, 0, { times: 100, afterMs: 86_400_000 });
    assert.deepEqual(next, { kind: 'again', notBefore: 30 * 86_400_000 });
  });
});
