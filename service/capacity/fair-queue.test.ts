import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FairQueue, OverloadedError } from './fair-queue.ts';

const limits = { slots: 2, slotsPerCustomer: 1, maxWaitMs: 60_000 };

describe('FairQueue', () => {
  test('a customer with a hundred operations delays another by one operation at most', async () => {
    const queue = new FairQueue(limits);
    const order: string[] = [];
    const add = (customer: string) =>
      queue.run(customer, async () => {
        order.push(customer);
        await new Promise(setImmediate);
      });
    const many = Array.from({ length: 100 }, () => add('many'));
    const others = [add('b'), add('c')];
    await Promise.all([...many, ...others]);
    assert.ok(order.indexOf('c') <= 4, order.slice(0, 8).join(' '));
  });

  test('an operation that never ends holds slots of its own customer only', async () => {
    const queue = new FairQueue({ ...limits, maxWaitMs: 100 });
    const blocked = Promise.withResolvers<void>();
    const first = queue.run('a', () => blocked.promise);
    const second = queue.run('a', async () => 'never runs');
    await assert.rejects(second, OverloadedError);
    assert.equal(await queue.run('b', async () => 'b'), 'b');
    blocked.resolve();
    await first;
    assert.equal(await queue.run('a', async () => 'a'), 'a');
  });

  test('an operation that fails frees its slot', async () => {
    const queue = new FairQueue({ ...limits, slots: 1 });
    const fail = () => queue.run('a', () => Promise.reject(new Error('stop')));
    await Promise.all(Array.from({ length: 5 }, () => assert.rejects(fail(), /stop/)));
    assert.equal(await queue.run('a', async () => 'a'), 'a');
  });
});
