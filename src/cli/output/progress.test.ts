import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Output } from '../../cli-kit/output.ts';
import { openStages } from './progress.ts';

function plain(jobs: number) {
  const lines: string[] = [];
  let time = 0;
  const output: Output = {
    json: false,
    quiet: false,
    verbose: false,
    live: false,
    say: (line) => lines.push(line.trim()),
    warn: () => undefined,
    print: () => undefined,
    record: () => undefined,
  };
  return { lines, stages: openStages(output, jobs, () => time), later: (ms: number) => (time += ms) };
}

describe('progress without a terminal', () => {
  test('shows a line at the start, one every 30 s, and one at the end', () => {
    const { lines, stages, later } = plain(1);
    stages.at('crawl', 'shop', 0, null);
    later(10_000);
    stages.at('crawl', 'shop', 500, null);
    later(20_000);
    stages.at('crawl', 'shop', 1_500, null);
    stages.at('crawl', 'shop', 2_000, 2_000, 'shop');
    stages.at('crawl', 'shop', 2_000, 2_000, 'shop');
    assert.deepEqual(lines, ['crawl   0', 'crawl   1,500', 'crawl   2,000 of 2,000 shop']);
  });

  test('sums several jobs, and completes a stage when all jobs have completed it', () => {
    const { lines, stages } = plain(2);
    stages.at('submit', 'a', 10, 10);
    stages.at('submit', 'b', 0, 5);
    stages.at('submit', 'b', 5, 5);
    assert.deepEqual(lines, ['submit  10 1 of 2 watches', 'submit  15 of 15 2 of 2 watches']);
  });
});
