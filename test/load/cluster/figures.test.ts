import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeFairness, computeSpread } from './figures.ts';

describe('a spread', () => {
  test('has the values at half, at 99 of a hundred, and the last', () => {
    const values = Array.from({ length: 200 }, (_, n) => 200 - n);
    assert.deepEqual(computeSpread(values), { median: 100, p99: 198, most: 200 });
  });

  test('of one value is that value, and of none there is none', () => {
    assert.deepEqual(computeSpread([7]), { median: 7, p99: 7, most: 7 });
    assert.equal(computeSpread([]), null);
  });
});

describe('fairness', () => {
  test('shows the worst watch and the worst account, and small watches apart from large ones', () => {
    const large = [10, 20, 30].map((waitMs) => ({ account: 'a', watch: 'large', waitMs }));
    const fairness = computeFairness([
      ...large,
      { account: 'a', watch: 'small', waitMs: 12 },
      { account: 'b', watch: 'late', waitMs: 90 },
    ]);
    assert.deepEqual(fairness?.watches, { median: 20, p99: 90, most: 90 });
    assert.deepEqual(fairness?.accounts, { median: 12, p99: 90, most: 90 });
    assert.deepEqual(fairness?.small, { median: 12, p99: 90, most: 90 });
    assert.deepEqual(fairness?.large, { median: 20, p99: 30, most: 30 });
  });

  test('of no batch is null', () => {
    assert.equal(computeFairness([]), null);
  });
});
