import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Url } from '../../url/normalize-url.ts';
import { makeVersion, SPAN, toLatest, type Version } from '../../url/version.ts';
import { asKey, toUrlKey } from '../pages/fingerprint.ts';
import { type FingerprintList, unpackList } from '../pages/fingerprint-list.ts';
import type { Found, ObservedEntry } from './found.ts';
import { readSitemap } from './read-sitemap.ts';

const SEED = 12345;
const NOW = Date.UTC(2026, 5, 1);
const DAY_1 = makeVersion(Date.UTC(2026, 0, 1), SPAN.day);
const DAY_2 = makeVersion(Date.UTC(2026, 0, 2), SPAN.day);
const entry = ([page, version]: readonly [number, Version | null]): ObservedEntry => ({
  url: `https://shop.example/${page}` as Url,
  version,
});
type Pages = readonly (readonly [number, Version | null])[];
const pages = fc.array(fc.tuple(fc.nat(40), fc.constantFrom(null, DAY_1, DAY_2)), { maxLength: 60 });
/** Each with its version. */
const listFound = (found: Found): string[] =>
  Array.from({ length: found.length }, (_, at) => `${found.key(at)} ${found.entry(at).version ?? 0}`).sort();
const listMoved = (moved: FingerprintList): string[] =>
  Array.from(
    { length: moved.length },
    (_, at) => `${asKey(moved.high(at), moved.low(at))} ${moved.version(at)}`,
  ).sort();
const empty = (): FingerprintList => unpackList(new Uint8Array());

function read(before: FingerprintList, listed: Pages) {
  const reading = readSitemap(before, SEED, NOW);
  for (let at = 0; at < listed.length; at += 7) reading.add(listed.slice(at, at + 7).map(entry));
  return reading;
}

/** Reads a visit from the bytes of its records. A third of its URLs are written in another form than their normal one. */
function readBytes(before: FingerprintList, listed: Pages) {
  const reading = readSitemap(before, SEED, NOW);
  let next = 0;
  for (let at = 0; at < listed.length; at += 7) {
    const part = listed.slice(at, at + 7).map(entry);
    const order = part.map(({ url, version }) => {
      const isOther = Number(url.slice(url.lastIndexOf('/') + 1)) % 3 === 0;
      const loc = isOther ? `${url}#` : url;
      const bytes = Buffer.from(loc);
      const known = reading.findNext(bytes, { locFrom: 0, locTo: loc.length }, version);
      if (known !== -1) next += 1;
      return known === -1 ? reading.find({ bytes, from: 0, to: url.length }, version) : known;
    });
    reading.add(
      part.filter((_, index) => order[index] === -1),
      order,
    );
  }
  return { reading, next };
}

/** The latest version of each page. */
function toLatestOfEach(listed: Pages): Map<number, Version | null> {
  const latest = new Map<number, Version | null>();
  for (const [page, version] of listed) latest.set(page, toLatest(latest.get(page) ?? null, version));
  return latest;
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
        assert.deepEqual(listFound(reading.takeFound()), listFound(plain.takeFound()));
        assert.deepEqual(listMoved(reading.takeMoved()), listMoved(plain.takeMoved()));
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
        const before = toLatestOfEach(first);
        const after = toLatestOfEach(second);
        const toKey = (page: number) => toUrlKey(`https://shop.example/${page}`, SEED);
        const named = (kept: (readonly [number, Version | null])[]) =>
          kept.map(([page, version]) => `${toKey(page)} ${version ?? 0}`).sort();
        assert.deepEqual(listFound(reading.takeFound()), named([...after].filter(([page]) => !before.has(page))));
        // A page may be in the list with the version that it had: an earlier one stood before it.
        const moved = listMoved(reading.takeMoved()).filter((each) => !named([...before]).includes(each));
        const differ = [...after].filter(([page, version]) => before.has(page) && before.get(page) !== version);
        assert.deepEqual(moved, named(differ));
        const gone = [...before.keys()].filter((page) => !after.has(page));
        assert.deepEqual(reading.missing().sort(), gone.map(toKey).sort());
        const list2 = unpackList(reading.snapshot() ?? read(empty(), first).snapshot() ?? new Uint8Array());
        assert.deepEqual(listMoved(list2), named([...after]));
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
