import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import { asKey } from '../pages/fingerprint.ts';
import type { ObservedEntry } from './found.ts';
import { FoundList } from './found-list.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const half = fc.nat({ max: 0xffff_ffff });
const version = fc.maxSafeInteger().map((at) => (at === 0 ? null : (at as Version)));
const entry: fc.Arbitrary<ObservedEntry> = fc.record({ url: text.map((url) => url as Url), version });

describe('found list', () => {
  test('entries come back as they were, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(half, half, entry), { maxLength: 300 }), (pushed) => {
        const list = new FoundList();
        for (const [high, low, each] of pushed) list.push(high, low, each.url, each.version ?? 0);
        assert.equal(list.length, pushed.length);
        for (const [at, [high, low, each]] of pushed.entries()) {
          assert.deepEqual(list.entry(at), { ...each });
          assert.equal(list.key(at), asKey(high, low));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a text longer than all before it has room', () => {
    const list = new FoundList();
    const long = { url: `https://shop.example/${'ü'.repeat(100_000)}` as Url, version: null };
    list.push(1, 2, long.url, 0);
    assert.deepEqual(list.entry(0), long);
    assert.ok(list.textBytes > 200_000);
  });

  test('entries are read in any order, before and after others are added', () => {
    const list = new FoundList();
    const page = (n: number) => ({
      url: `https://shop.example/${n}${n % 3 === 0 ? '/día' : ''}` as Url,
      version: (n + 1) as Version,
    });
    for (let n = 0; n < 3_000; n += 1) {
      list.push(0, n, page(n).url, n + 1);
      const at = (n * 7_919) % (n + 1);
      assert.deepEqual(list.entry(at), page(at));
    }
    for (let n = 0; n < 3_000; n += 1) assert.deepEqual(list.entry(n), page(n));
  });

  test('an index that no entry has is refused', () => {
    const list = new FoundList();
    list.push(0, 0, 'https://shop.example/' as Url, 0);
    assert.throws(() => list.entry(1), RangeError);
    assert.throws(() => list.key(-1), RangeError);
  });
});
