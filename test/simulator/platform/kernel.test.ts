import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Kernel } from './kernel.ts';

const EPOCH = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** Ten minutes, jumps of the clocks, and ten more minutes. */
function jumpBy(...jumpsMs: readonly number[]): Kernel {
  const kernel = new Kernel(1, EPOCH);
  kernel.pass(10 * MINUTE);
  for (const ms of jumpsMs) kernel.epoch += ms;
  kernel.pass(10 * MINUTE);
  return kernel;
}

const latest = (kernel: Kernel, ago: number) => (kernel.getLatestTime(ago * MINUTE) - EPOCH) / MINUTE;

describe('the latest time that the clocks showed some minutes ago', () => {
  test('is the time of now, less those minutes, where they never jumped', () => {
    assert.equal(latest(jumpBy(), 0), 20);
    assert.equal(latest(jumpBy(), 15), 5);
  });

  test('is not earlier because they were set back since: what was done before that is as old as it is', () => {
    const kernel = jumpBy(-7 * MINUTE);
    assert.equal((kernel.now() - EPOCH) / MINUTE, 13);
    assert.equal(latest(kernel, 15), 5);
    assert.equal(latest(kernel, 10), 10);
    assert.equal(latest(kernel, 9), 10);
    assert.equal(latest(kernel, 1), 12);
  });

  test('is the time of now, less those minutes, where they jumped forward', () => {
    assert.equal(latest(jumpBy(60 * MINUTE), 15), 65);
  });

  test('counts each of two jumps', () => {
    assert.equal(latest(jumpBy(-3 * MINUTE, -4 * MINUTE), 15), 5);
    assert.equal(latest(jumpBy(-3 * MINUTE, -4 * MINUTE), 9), 10);
  });
});

describe('how far a clock was behind the latest time shown', () => {
  test('is nothing where they jump forward, and the most of what was set back and of a host that is behind', () => {
    assert.equal(jumpBy(60 * MINUTE).mostBehindMs, 0);
    const kernel = jumpBy(-7 * MINUTE);
    assert.equal(kernel.mostBehindMs, 7 * MINUTE);
    // Ten minutes later the clocks have passed what they had shown.
    kernel.setOffset('worker-1', 60 * MINUTE);
    assert.equal(kernel.mostBehindMs, 60 * MINUTE);
    kernel.setOffset('worker-1', -90 * MINUTE);
    assert.ok(kernel.mostBehindMs >= 90 * MINUTE);
  });
});

describe('the earliest time that the clock has shown since some minutes ago', () => {
  const earliest = (kernel: Kernel, ago: number) => (kernel.getEarliestTime(ago * MINUTE) - EPOCH) / MINUTE;

  test('is the time of now, less those minutes, where it did not jump since', () => {
    assert.equal(earliest(jumpBy(), 5), 15);
    assert.equal(earliest(jumpBy(60 * MINUTE), 5), 75);
  });

  test('is the time before a jump forward since then', () => {
    assert.equal(earliest(jumpBy(60 * MINUTE), 15), 5);
  });
});

describe('the time since the clock of a host showed a time', () => {
  const since = (kernel: Kernel, minute: number, host = 'service') =>
    kernel.getTimeSince(EPOCH + minute * MINUTE, host) / MINUTE;

  test('is that of the clock of now, where it was never set', () => {
    assert.equal(since(jumpBy(), 5), 15);
    assert.equal(since(jumpBy(), 20), 0);
    assert.equal(since(jumpBy(), 21), 0);
  });

  test('counts from the moment at which it showed that, also where it was set since', () => {
    const kernel = new Kernel(1, EPOCH);
    kernel.setOffset('service', 60 * MINUTE);
    kernel.pass(10 * MINUTE);
    kernel.setOffset('service', 0);
    kernel.pass(10 * MINUTE);
    assert.equal(since(kernel, 65), 15);
    assert.equal(since(kernel, 65, 'worker-1'), 0);
    assert.equal(since(kernel, 15, 'worker-1'), 5);
  });

  test('is no longer than since the jump that passed it over', () => {
    assert.equal(since(jumpBy(60 * MINUTE), 40), 10);
  });
});

describe('what the clocks of all hosts show', () => {
  test('is, of the slowest and the fastest, the time of those that nobody has set, or less and more', () => {
    const kernel = jumpBy();
    const now = kernel.now();
    assert.deepEqual(kernel.getClocks(), { slowest: now, fastest: now });
    kernel.setOffset('worker-1', -MINUTE);
    kernel.setOffset('worker-2', MINUTE);
    assert.deepEqual(kernel.getClocks(), { slowest: now - MINUTE, fastest: now + MINUTE });
  });

  test('is, of the last minutes, the latest that one has shown', () => {
    const kernel = jumpBy();
    kernel.setOffset('worker-1', 60 * MINUTE);
    kernel.pass(MINUTE);
    kernel.setOffset('worker-1', 0);
    kernel.pass(9 * MINUTE);
    assert.equal(kernel.getHighestTime(8 * MINUTE), kernel.now());
    assert.equal(kernel.getHighestTime(9.5 * MINUTE), EPOCH + 81 * MINUTE);
  });
});
