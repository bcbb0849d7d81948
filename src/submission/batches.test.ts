import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { batchesOf, splitBatch } from './batches.ts';

test('batches hold every URL once, in order, and are full but for the last', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 7 }), (items, max) => {
      const batches = batchesOf(items, max);
      assert.deepEqual(batches.flat(), items);
      assert.ok(batches.every((batch, at) => (at < batches.length - 1 ? batch.length === max : batch.length >= 1)));
    }),
  );
});

test('a batch is never larger than the specification allows', () => {
  assert.deepEqual(
    batchesOf(Array.from({ length: 10_001 }, (_, n) => n)).map((batch) => batch.length),
    [5000, 5000, 1],
  );
  assert.throws(() => batchesOf([1], 0), RangeError);
});

test('halves hold every URL once, in order, and differ by one at most', () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 2 }), (items) => {
      const [first, second] = splitBatch(items);
      assert.deepEqual([...first, ...second], items);
      assert.ok(first.length - second.length === items.length % 2);
    }),
  );
  assert.throws(() => splitBatch([1]), RangeError);
});
