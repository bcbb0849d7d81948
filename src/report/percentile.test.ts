import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computePercentile, computeSpread, type Weighted } from './percentile.ts';

describe('percentiles of weighted values', () => {
  test('are those of the values written out one by one', () => {
    const values: Weighted[] = [
      [9, 3],
      [1, 2],
      [5, 0],
      [4, 5],
    ];
    const all = values.flatMap(([value, weight]) => Array<number>(weight).fill(value)).sort((a, b) => a - b);
    for (const share of [0.1, 0.2, 0.21, 0.5, 0.7, 0.71, 0.9, 1])
      assert.equal(computePercentile(values, share), all[Math.ceil(share * all.length - 1e-9) - 1], String(share));
  });

  test('of nothing are null, never 0', () => {
    assert.equal(computeSpread([]), null);
    assert.equal(computeSpread([[5, 0]]), null);
    assert.deepEqual(computeSpread([[5, 1]]), { urls: 1, median: 5, ninth: 5 });
  });
});
