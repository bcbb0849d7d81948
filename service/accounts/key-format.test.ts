import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isKeyShaped, newKey, shownPart } from './key-format.ts';

describe('API key format', () => {
  test('spec 5: keys have a prefix, 256 random bits and a checksum, so leaks and typing errors are detected', () => {
    const key = newKey();
    assert.match(key, /^usk_[0-9A-Za-z]{49}$/);
    assert.ok(isKeyShaped(key));
    assert.notEqual(newKey(), key);
    assert.equal(shownPart(key).length, 11);
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 52 }), fc.constantFrom(...'0aZ'), (place, letter) => {
        const typo = key.slice(0, place) + letter + key.slice(place + 1);
        assert.equal(isKeyShaped(typo), typo === key);
      }),
    );
  });

  test('spec 5: the smallest and the largest random number give keys of equal length', () => {
    for (const byte of [0, 255]) assert.equal(newKey((size) => Buffer.alloc(size, byte)).length, 53);
  });
});
