import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type GrowingList, growingList, unpackList } from './fingerprint-list.ts';

const half = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 20, 2 ** 20 + 1, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const entries = fc.uniqueArray(fc.tuple(half, half), {
  selector: ([high, low]) => `${high} ${low}`,
  maxLength: 400,
});
type Entries = readonly (readonly [number, number])[];

const pushAll = (list: GrowingList, from: Entries) => from.forEach(([high, low], at) => void list.push(high, low, at));
const toKey = ([high, low]: readonly [number, number]) => `${high} ${low}`;

describe('a list of fingerprints', () => {
  test('finds each entry at its index, whatever is pushed between look-ups, and nothing else', () => {
    fc.assert(
      fc.property(entries, fc.nat(400), (all, cut) => {
        const list = growingList();
        pushAll(list, all.slice(0, cut));
        for (const [index, [high, low]] of all.entries()) assert.equal(list.find(high, low), index < cut ? index : -1);
        pushAll(list, all.slice(cut));
        for (const [index, [high, low]] of all.entries()) assert.equal(list.find(high, low), index);
        assert.equal(list.length, all.length);
      }),
    );
  });

  test('is the same after it was packed and unpacked', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const list = growingList();
        pushAll(list, all);
        const unpacked = unpackList(list.bytes());
        const read = Array.from({ length: unpacked.length }, (_, at) => [unpacked.high(at), unpacked.low(at)]);
        assert.deepEqual(read, all);
      }),
    );
  });

  test('marks exactly the entries that another list has too, also those pushed after it marked some', () => {
    fc.assert(
      fc.property(entries, entries, fc.nat(400), (own, more, cut) => {
        const other = growingList();
        const shared = [...more, ...own.filter((_, at) => at % 3 === 0)];
        pushAll(other, shared);
        const list = growingList();
        pushAll(list, own.slice(0, cut));
        list.markListed(other, new Uint8Array(own.length));
        pushAll(list, own.slice(cut));
        const marks = new Uint8Array(own.length);
        list.markListed(other, marks);
        const keys = new Set(shared.map(toKey));
        assert.deepEqual(
          [...marks],
          own.map((entry) => (keys.has(toKey(entry)) ? 1 : 0)),
        );
      }),
    );
  });
});
