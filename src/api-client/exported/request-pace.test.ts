import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RequestPace } from './request-pace.ts';

/** Sends as early as it may, for so long. */
function send(submission: boolean, ms: number): number[] {
  const pace = new RequestPace();
  const times: number[] = [];
  for (let now = 0; now < ms; ) {
    const wait = pace.take(now, submission);
    if (wait === 0) times.push(now);
    now += wait;
  }
  return times;
}

/** The most of these sorted times in any stretch of so many milliseconds. */
function mostIn(times: readonly number[], windowMs: number): number {
  let [most, first] = [0, 0];
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

describe('RequestPace', () => {
  test('10 submissions in any minute, and no fewer', () => {
    const times = send(true, 600_000);
    assert.equal(mostIn(times, 60_000), 10);
    assert.equal(times.length, 100);
  });

  test('120 requests in any minute and 3,000 in any hour', () => {
    const times = send(false, 2 * 3_600_000);
    assert.equal(mostIn(times, 60_000), 120);
    assert.equal(mostIn(times, 3_600_000), 3_000);
    assert.equal(times.length, 6_000);
  });

  test('30,000 requests in a day', () => {
    assert.equal(send(false, 86_400_000).length, 30_000);
  });
});
