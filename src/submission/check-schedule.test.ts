import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CheckPolicy, inSample, nextCheckAt, resubmissionDue } from './check-schedule.ts';

const DAY = 86_400_000;
const policy: CheckPolicy = { afterMs: 3 * DAY, everyMs: 7 * DAY, stopWhenFound: true, sample: 1, resubmitAfter: 3 };
const fresh = { completedAt: 0, lastCheckAt: null, found: false, misses: 0 };

/** The days on which a URL that is never found is checked within a year. */
function daysChecked(): number[] {
  const days: number[] = [];
  let history: { completedAt: number; lastCheckAt: number | null; found: boolean; misses: number } = fresh;
  for (let at = nextCheckAt(history, policy)!; at <= 365 * DAY; at = nextCheckAt(history, policy)!) {
    days.push(Math.round(at / DAY));
    history = { ...history, lastCheckAt: at, misses: history.misses + 1 };
  }
  return days;
}

describe('index-check schedule', () => {
  test('checks start after the first wait, keep the minimum interval and become rarer with age', () => {
    const days = daysChecked();
    assert.deepEqual(days.slice(0, 5), [3, 10, 17, 24, 31]);
    const gaps = days.slice(1).map((day, at) => day - days[at]!);
    assert.ok(gaps.every((gap, at) => gap >= 7 && gap >= (gaps[at - 1] ?? 0) - 1));
    assert.ok(days.length <= 18, `${days.length} checks in a year`);
  });

  test('a found URL is not checked again, unless stop_when_found is off', () => {
    const found = { ...fresh, lastCheckAt: 3 * DAY, found: true };
    assert.equal(nextCheckAt(found, policy), null);
    assert.equal(nextCheckAt(found, { ...policy, stopWhenFound: false }), 10 * DAY);
  });

  test('enough misses cause one more submission, once', () => {
    assert.equal(resubmissionDue({ ...fresh, misses: 2 }, false, policy), false);
    assert.equal(resubmissionDue({ ...fresh, misses: 3 }, false, policy), true);
    assert.equal(resubmissionDue({ ...fresh, misses: 9 }, true, policy), false);
    assert.equal(resubmissionDue({ ...fresh, misses: 9, found: true }, false, policy), false);
    assert.equal(resubmissionDue({ ...fresh, misses: 9 }, false, { ...policy, resubmitAfter: null }), false);
  });

  test('a sample is stable, has about the requested size, and contains every smaller sample', () => {
    const urls = Array.from({ length: 20_000 }, (_, n) => `https://shop.example/products/${n}`);
    const tenth = urls.filter((url) => inSample(url, 0.1));
    assert.ok(Math.abs(tenth.length - 2000) < 150, `${tenth.length} of 20,000`);
    assert.ok(tenth.every((url) => inSample(url, 0.2)));
    assert.equal(urls.filter((url) => inSample(url, 0)).length, 0);
    assert.equal(urls.filter((url) => inSample(url, 1)).length, urls.length);
  });
});
