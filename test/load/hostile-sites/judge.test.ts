import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeGrowth, listLateness } from './judge.ts';

const M = 60_000;

describe('the judge of hostile sites', () => {
  test('a run that is late, failed, active or missing is seen in its minute', () => {
    const runs = [
      { startedAt: M + 500, endedAt: M + 2_000, end: 'finished' },
      { startedAt: 2 * M + 500, endedAt: 2 * M + 40_000, end: 'finished' },
      { startedAt: 3 * M + 500, endedAt: 3 * M + 1_000, end: 'abandoned' },
      { startedAt: 5 * M + 500, endedAt: null, end: null },
    ];
    assert.deepEqual(listLateness(runs, 30_000, 6.5 * M), [2_000, 40_000, null, null, null]);
    assert.deepEqual(listLateness(runs, 30_000, M + 1_000), [], 'only whole minutes');
  });

  test('memory that grows after the start is not flat', () => {
    const samples = (rss: (at: number) => number) => Array.from({ length: 40 }, (_, at) => ({ at, rssMb: rss(at) }));
    assert.equal(computeGrowth(samples((at) => (at < 10 ? 100 : 400))).isFlat, true, 'the start does not count');
    assert.equal(computeGrowth(samples((at) => 300 + at * 10)).isFlat, false);
    assert.deepEqual(computeGrowth(samples((at) => (at === 25 ? 900 : 300))), {
      first: 300,
      last: 300,
      peak: 900,
      isFlat: true,
    });
  });
});
