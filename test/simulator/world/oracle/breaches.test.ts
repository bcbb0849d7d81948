import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Breaches } from './breaches.ts';

describe('breaches', () => {
  test('are named by their rule, traced and counted once', () => {
    const lines: string[] = [];
    const breaches = new Breaches({ trace: (line) => lines.push(line) });
    const report = breaches.toReport('caps');
    report('6 of 5');
    report('6 of 5');
    assert.deepEqual(breaches.texts, ['caps: 6 of 5']);
    assert.deepEqual(lines, ['BREACH caps: 6 of 5']);
  });

  test('what a known finding explains breaks nothing, and is counted under it', () => {
    const breaches = new Breaches({ trace: () => undefined, findKnown: ({ beyond }) => (beyond === 1 ? 'X1' : null) });
    breaches.toReport('caps')('6 of 5', { beyond: 1 });
    breaches.toReport('caps')('7 of 5', { beyond: 2 });
    assert.deepEqual(breaches.texts, ['caps: 7 of 5']);
    assert.deepEqual([...breaches.known], [['X1', ['caps: 6 of 5']]]);
  });
});
