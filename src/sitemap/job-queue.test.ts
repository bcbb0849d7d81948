import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { JobQueue } from './job-queue.ts';

const makeQueue = (...jobs: string[]) => {
  const queue = new JobQueue<string>((job) => job.charAt(0));
  for (const job of jobs) queue.push(job);
  return queue;
};
const takeAll = (queue: JobQueue<string>, count = Number.POSITIVE_INFINITY) => {
  const taken: string[] = [];
  for (let job = queue.take(); job !== undefined && taken.push(job) < count; ) job = queue.take();
  return taken;
};

describe('job queue', () => {
  test('jobs of one host are taken in their order', () => {
    assert.deepEqual(takeAll(makeQueue('a1', 'a2', 'a3')), ['a1', 'a2', 'a3']);
  });

  test('hosts take turns', () => {
    assert.deepEqual(takeAll(makeQueue('a1', 'a2', 'a3', 'b1', 'b2', 'c1')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('a host whose jobs do not end gets one place while others wait', () => {
    const queue = makeQueue('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3');
    assert.deepEqual(takeAll(queue, 2), ['a1', 'b1']);
    for (const job of ['b1', 'b2']) {
      queue.end(job);
      assert.equal(queue.take(), `b${Number(job.charAt(1)) + 1}`);
    }
    queue.end('b3');
    assert.equal(queue.take(), 'a2', 'nobody else waits');
  });

  test('what waits can be dropped, and the queue can be used again', () => {
    const queue = makeQueue('a1', 'a2', 'b1');
    assert.equal(queue.take(), 'a1');
    assert.equal(queue.drop(), 2);
    assert.equal(queue.take(), undefined);
    queue.end('a1');
    queue.push('a3');
    assert.deepEqual(takeAll(queue), ['a3']);
  });

  test('many hosts and many jobs are taken in linear time', () => {
    const queue = new JobQueue<number>((job) => String(job % 50_000));
    for (let job = 0; job < 100_000; job += 1) queue.push(job);
    let taken = 0;
    for (let job = queue.take(); job !== undefined; job = queue.take()) {
      taken += 1;
      queue.end(job);
    }
    assert.equal(taken, 100_000);
  });
});
