import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BodyMemory } from './body-memory.ts';
import { Load } from './load.ts';

describe('BodyMemory', () => {
  test('bodies in memory are bounded in total and per account, and memory is freed on release', () => {
    const memory = new BodyMemory({ totalBytes: 100, accountBytes: 60 });
    const [first, second, third] = [memory.open(1), memory.open(2), memory.open(3)];
    assert.ok(first.take(60));
    assert.ok(!first.take(1), 'the account is full');
    assert.ok(second.take(40));
    assert.ok(!memory.fits(3, 1), 'the memory is full');
    first.end();
    assert.ok(!first.take(1), 'the request has ended');
    assert.ok(third.take(60));
    for (const share of [first, second, third]) share.end();
    assert.equal(memory.total, 0);
  });

  test('concurrent requests are bounded in total and per key', () => {
    const load = new Load({ requests: 3, requestsPerKey: 2 });
    const [first] = [load.enter('a'), load.enter('a')];
    assert.equal(load.enter('a'), null);
    assert.ok(load.enter('b'));
    assert.equal(load.enter('c'), null);
    first?.();
    assert.ok(load.enter('c'));
    assert.equal(load.total, 3);
  });
});
