import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue, OverloadedError } from './fair-queue.ts';

const limits = { slots: 2, slotsPerCustomer: 1, heavySlots: 1, heavySlotsPerCustomer: 1, maxWaitMs: 60_000 };

/** A queue with a clock of its own, and operations that take what they say of it. */
function openQueue(more: Partial<typeof limits> = {}) {
  let time = 0;
  const queue = new FairQueue({ ...limits, ...more }, () => time);
  const order: string[] = [];
  const add = (customer: string, ms: number) =>
    queue.run(customer, (timed) =>
      timed(async () => {
        order.push(customer);
        await nextTurn();
        time += ms;
      }),
    );
  return { queue, order, add, pass: (ms: number) => (time += ms) };
}

const count = (order: readonly string[], name: string): number => order.filter((each) => each === name).length;

describe('FairQueue', () => {
  test('a customer with a hundred operations delays another by one operation at most', async () => {
    const { order, add } = openQueue();
    const many = Array.from({ length: 100 }, () => add('many', 1));
    await Promise.all([...many, add('b', 1), add('c', 1)]);
    assert.ok(order.indexOf('c') <= 4, order.slice(0, 8).join(' '));
  });

  test('slots are shared by what operations cost, not by their number', async () => {
    const { order, add } = openQueue({ slots: 1, slotsPerCustomer: 1 });
    const all = [
      ...Array.from({ length: 30 }, () => add('expensive', 10)),
      ...Array.from({ length: 30 }, () => add('cheap', 1)),
    ];
    await Promise.all(all);
    const first = order.slice(0, 20);
    assert.ok(count(first, 'cheap') >= 16, `cheap got ${count(first, 'cheap')} of the first 20 turns`);
    assert.ok(count(first, 'expensive') >= 1);
  });

  test('a heavy customer keeps to fewer slots, until it has been quiet for a while', async () => {
    const { queue, add, pass } = openQueue({ slots: 4, slotsPerCustomer: 3 });
    await add('a', 2_000);
    const hold = () => {
      const ended = Promise.withResolvers<void>();
      return { run: queue.run('a', () => ended.promise), end: ended.resolve };
    };
    const heavy = [hold(), hold()];
    await nextTurn();
    assert.deepEqual(queue.getState(), { running: 1, waiting: 1 });
    for (const each of heavy) each.end();
    await Promise.all(heavy.map(({ run }) => run));
    pass(10_000);
    const again = [hold(), hold()];
    await nextTurn();
    assert.deepEqual(queue.getState(), { running: 2, waiting: 0 });
    for (const each of again) each.end();
    await Promise.all(again.map(({ run }) => run));
  });

  test('heavy customers together leave slots to the others', async () => {
    const { queue, add } = openQueue({ slots: 3, slotsPerCustomer: 2, heavySlots: 1 });
    await Promise.all([add('a', 2_000), add('b', 2_000)]);
    const blocked = Promise.withResolvers<void>();
    const held = ['a', 'b'].map((name) => queue.run(name, () => blocked.promise));
    await nextTurn();
    assert.deepEqual(queue.getState(), { running: 1, waiting: 1 });
    assert.equal(await queue.run('c', async () => 'c'), 'c');
    blocked.resolve();
    await Promise.all(held);
  });

  test('statements that hold the thread get so much of a turn, and the rest comes in the next ones', async () => {
    let time = 0;
    const queue = new FairQueue({ ...limits, slots: 64, slotsPerCustomer: 32 }, () => time);
    let done = 0;
    const statement = async () => {
      time += 1;
      done++;
    };
    const all = Promise.all(Array.from({ length: 20 }, () => queue.run('a', (timed) => timed(statement))));
    const perTurn: number[] = [];
    while (done < 20) {
      const before = done;
      await nextTurn();
      perTurn.push(done - before);
    }
    await all;
    assert.ok(Math.max(...perTurn) <= 3, perTurn.join(' '));
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
