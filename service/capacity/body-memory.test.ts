import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { required } from '../required.ts';
import { BodyMemory } from './body-memory.ts';
import { Load } from './load.ts';

describe('BodyMemory', () => {
  test('bodies in memory are bounded in total and per account, and memory is freed on release', () => {
    const memory = new BodyMemory({ totalBytes: 100, accountBytes: 60 });
    const open = (account: number, announced = 0) => required(memory.open(account, announced), 'a share');
    const [first, second, third] = [open(1), open(2), open(3)];
    assert.ok(first.take(60));
    assert.ok(!first.take(1), 'the account is full');
    assert.ok(second.take(40));
    assert.equal(memory.open(3, 1), null, 'the memory is full');
    first.end();
    assert.ok(!first.take(1), 'the request has ended');
    assert.ok(third.take(60));
    for (const share of [first, second, third]) share.end();
    assert.equal(memory.total, 0);
  });

  test('what a body announces is reserved for it at once, and what it has beyond that is counted', () => {
    const memory = new BodyMemory({ totalBytes: 100, accountBytes: 60 });
    const share = required(memory.open(1, 50), 'a share');
    assert.equal(memory.open(1, 20), null);
    assert.ok(share.take(30) && share.take(20));
    assert.equal(memory.total, 50);
    assert.ok(share.take(10));
    assert.ok(!share.take(1));
    share.end();
    assert.equal(memory.total, 0);
  });

  test('concurrent requests are bounded in total and per key', () => {
    const load = new Load({ requests: 3, requestsPerAccount: 2 });
    const [first] = [load.enter('a'), load.enter('a')];
    assert.equal(load.enter('a'), null);
    assert.ok(load.enter('b'));
    assert.equal(load.enter('c'), null);
    first?.();
    assert.ok(load.enter('c'));
    assert.equal(load.total, 3);
  });
});
