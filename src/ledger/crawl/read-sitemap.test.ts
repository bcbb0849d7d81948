import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Url } from '../../url/normalize-url.ts';
import { toUrlKey } from './fingerprint.ts';
import { type FingerprintList, unpackList } from './fingerprint-list.ts';
import type { Found, ObservedEntry } from './found.ts';
import { readSitemap } from './read-sitemap.ts';

const SEED = 12345;
const entry = ([page, lastmod]: readonly [number, string | null]): ObservedEntry => ({
  url: `https://shop.example/${page}` as Url,
  lastmod,
  lastmodAt: null,
});
const pages = fc.array(fc.tuple(fc.nat(40), fc.constantFrom(null, '2026-01-01', '2026-01-02')), { maxLength: 60 });
const urls = (found: Found): string[] => Array.from({ length: found.length }, (_, at) => found.entry(at).url).sort();
const empty = (): FingerprintList => unpackList(new Uint8Array());

function read(before: FingerprintList, listed: readonly (readonly [number, string | null])[]) {
  const reading = readSitemap(before, SEED);
  for (let at = 0; at < listed.length; at += 7) reading.add(listed.slice(at, at + 7).map(entry));
  return reading;
}

/** Reads a visit from the bytes of its records. A third of its URLs are written in another form than their normal one. */
function readBytes(before: FingerprintList, listed: readonly (readonly [number, string | null])[]) {
  const reading = readSitemap(before, SEED);
  let next = 0;
  for (let at = 0; at < listed.length; at += 7) {
    const part = listed.slice(at, at + 7).map(entry);
    const order = part.map(({ url, lastmod }) => {
      const isOther = Number(url.slice(url.lastIndexOf('/') + 1)) % 3 === 0;
      const loc = isOther ? `${url}#` : url;
      const bytes = Buffer.from(`${loc}<${lastmod ?? ''}`);
      const lastmodFrom = lastmod === null ? -1 : loc.length + 1;
      const fields = { locFrom: 0, locTo: loc.length, lastmodFrom, lastmodTo: bytes.length };
      const known = reading.findNext(bytes, fields);
      if (known !== -1) next += 1;
      return known === -1 ? reading.find({ bytes, from: 0, to: url.length }, bytes, lastmodFrom, bytes.length) : known;
    });
    reading.add(
      part.filter((_, index) => order[index] === -1),
      order,
    );
  }
  return { reading, next };
}

describe('read sitemap', () => {
  test('a visit that is recognized by its bytes gives what its entries give', () => {
    let recognized = 0;
    fc.assert(
      fc.property(pages, pages, fc.boolean(), (first, other, isSame) => {
        const second = isSame ? first : other;
        const list = () => unpackList(read(empty(), first).snapshot() ?? new Uint8Array());
        const plain = read(list(), second);
        const { reading, next } = readBytes(list(), second);
        assert.deepEqual(urls(reading.takeFound()), urls(plain.takeFound()));
        assert.deepEqual(urls(reading.takeMoved()), urls(plain.takeMoved()));
        assert.deepEqual(reading.missing(), plain.missing());
        assert.equal(reading.urls, plain.urls);
        assert.deepEqual(reading.snapshot(), plain.snapshot());
        recognized += next;
      }),
      { numRuns: 300 },
    );
    assert.ok(recognized > 300, `${recognized} entries were recognized as the next`);
  });

  test('found, moved and missing URLs equal those of a plain comparison of two visits', () => {
    fc.assert(
      fc.property(pages, pages, (first, second) => {
        const list = unpackList(read(empty(), first).snapshot() ?? new Uint8Array());
        const reading = read(list, second);
        // The first mention of a URL counts.
        const before = new Map(first.toReversed());
        const after = new Map(second.toReversed());
        const named = (kept: number[]) => kept.map((page) => `https://shop.example/${page}`).sort();
        assert.deepEqual(urls(reading.takeFound()), named([...after.keys()].filter((page) => !before.has(page))));
        assert.deepEqual(
          urls(reading.takeMoved()),
          named([...after].filter(([page, mod]) => before.has(page) && before.get(page) !== mod).map(([page]) => page)),
        );
        const gone = [...before.keys()].filter((page) => !after.has(page));
        const keys = named(gone).map((url) => toUrlKey(url, SEED));
        assert.deepEqual(reading.missing().sort(), keys.sort());
        assert.equal(reading.urls, after.size);
      }),
      { numRuns: 300 },
    );
  });

  test('an unchanged sitemap writes nothing', () => {
    fc.assert(
      fc.property(pages, (listed) => {
        const first = read(empty(), listed).snapshot();
        assert.equal(read(unpackList(first ?? new Uint8Array()), listed).snapshot(), null);
      }),
    );
  });

  test('500,000 URLs that differ in one character have different fingerprints', () => {
    const seen = new Set<bigint>();
    for (let n = 0; n < 500_000; n++) seen.add(toUrlKey(`https://shop.example/p/${n}.html`, SEED));
    assert.equal(seen.size, 500_000);
  });

  test('invalid list bytes are rejected', () => {
    assert.throws(() => unpackList(new Uint8Array(13)), RangeError);
  });
});
