import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { computeRunWait } from './run-wait.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How often a run looks until its work has ended after `endsMs`, and how late it sees that. */
function playWait(endsMs: number, waitingRuns: number) {
  let looks = 1;
  let age = 0;
  for (; age < endsMs; looks++) age += computeRunWait(age, waitingRuns, false);
  return { looks, lateMs: age - endsMs };
}

describe('a run that waits', () => {
  test('sees the end of short work within a second', () => {
    for (let ends = 0; ends <= 10 * SECOND; ends += 100) assert.ok(playWait(ends, 1).lateMs <= SECOND);
  });

  test('sees the end of any work late by a quarter of its time at most, and by a minute in its first twenty', () => {
    for (let ends = 10 * SECOND; ends <= 60 * MINUTE; ends += 700) {
      const latest = Math.max(MINUTE, ends / 20);
      assert.ok(playWait(ends, 1).lateMs <= Math.min(ends / 4, latest), `${ends} ms`);
    }
  });

  for (const [seconds, looks] of [
    [10, 11],
    [60, 23],
    [600, 36],
  ] as const) {
    test(`looks ${looks} times in ${seconds} s`, () => {
      assert.equal(playWait(seconds * SECOND, 1).looks, looks);
    });
  }
});

describe('runs that wait at once', () => {
  test('look ten times a second together, and each of them each second while they are few', () => {
    for (const runs of [10, 20, 50, 90]) assert.equal((runs * SECOND) / computeRunWait(0, runs, false), 10);
    for (const runs of [1, 5, 10]) assert.equal(computeRunWait(0, runs, false), SECOND);
  });

  test('stay below ten seconds however many they are, so that a short wait is no timer', () => {
    assert.equal(computeRunWait(0, 1_000, false), 9 * SECOND);
  });

  test('two hundred of them look 8 times each in their first minute', () => {
    assert.equal(playWait(MINUTE, 200).looks, 8);
  });
});

describe('a wait that the history shows', () => {
  test('is a minute while the account sends nothing, once its dispatcher has read the ledger', () => {
    assert.equal(computeRunWait(5 * SECOND, 1, true), SECOND);
    assert.equal(computeRunWait(10 * SECOND, 1, true), MINUTE);
  });

  test('grows with its age up to half an hour', () => {
    assert.equal(computeRunWait(60 * MINUTE, 1, false), 3 * MINUTE);
    assert.equal(computeRunWait(7 * 24 * 60 * MINUTE, 1, false), 30 * MINUTE);
  });
});
