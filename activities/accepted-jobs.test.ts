import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountId, Reference } from '../src/submission/ids.ts';
import { AcceptedJobs } from './accepted-jobs.ts';

const [main, other] = ['main' as AccountId, 'other' as AccountId];
const HOUR = 3_600_000;
const toJob = (n: number) => ({ reference: `R-${n}` as Reference, key: `key-${n}` });

describe('AcceptedJobs', () => {
  test('lists the jobs of an account of the last hour, and the last one for as long as there is no other', () => {
    const jobs = new AcceptedJobs();
    jobs.add(main, toJob(1), 0);
    jobs.add(main, toJob(2), HOUR);
    jobs.add(other, toJob(3), HOUR);
    const list = (now: number) => jobs.list(main, now).map(({ reference }) => reference);
    assert.deepEqual(list(HOUR), ['R-1', 'R-2']);
    assert.deepEqual(list(HOUR + 1), ['R-2']);
    assert.deepEqual(list(99 * HOUR), ['R-2']);
    jobs.remove(main, 'R-2' as Reference);
    assert.deepEqual(list(99 * HOUR), []);
  });

  test('lists a job once, and 200 of an account at most', () => {
    const jobs = new AcceptedJobs();
    for (let n = 0; n < 300; n++) jobs.add(main, toJob(n % 250), n);
    const listed = jobs.list(main, 300).map(({ reference }) => reference);
    assert.equal(new Set(listed).size, 200);
    assert.equal(listed.length, 200);
    assert.equal(listed.at(-1), 'R-49');
  });
});
