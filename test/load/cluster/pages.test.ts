import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parsePage, spreadPages, writeSitemap } from './pages.ts';

const BASE = 'http://127.0.0.1:80';

function readLocations(path: string, pages: ReadonlyMap<string, number>): string[] {
  const file = writeSitemap(path, BASE, pages);
  assert.ok(file !== null, path);
  return [
    ...gunzipSync(file)
      .toString()
      .matchAll(/<loc>([^<]+)/g),
  ].map(([, location]) => location!);
}

describe('the sitemaps of the cluster', () => {
  test('list each page of a watch once, over several files where it has many', () => {
    const pages = new Map([
      ['w0001', 60_000],
      ['w0002', 3],
    ]);
    const files = readLocations('/w0001.xml.gz', pages).map((file) => new URL(file).pathname);
    assert.deepEqual(files, ['/w0001-1.xml.gz', '/w0001-2.xml.gz', '/w0001-3.xml.gz']);
    const numbers = files.flatMap((file) => readLocations(file, pages)).map((url) => parsePage(url)?.page);
    assert.equal(new Set(numbers).size, 60_000);
    assert.equal(numbers.at(-1), 59_999);
    assert.deepEqual(readLocations('/w0002.xml.gz', pages).map(parsePage), [
      { watch: 'w0002', page: 0 },
      { watch: 'w0002', page: 1 },
      { watch: 'w0002', page: 2 },
    ]);
  });

  test('are nothing at another address', () => {
    const pages = new Map([['w0001', 3]]);
    for (const path of ['/w0002.xml.gz', '/w0001-2.xml.gz', '/'])
      assert.equal(writeSitemap(path, BASE, pages), null, path);
    assert.equal(parsePage('https://w0001.example/other'), null);
  });
});

describe('the pages of all watches', () => {
  for (const { urls, watches } of [
    { urls: 2_000_000, watches: 200 },
    { urls: 1_003, watches: 7 },
    { urls: 5, watches: 1 },
  ]) {
    test(`are ${urls} together, and none of ${watches} watches is without`, () => {
      const pages = spreadPages(urls, watches);
      assert.equal(pages.length, watches);
      assert.equal(
        pages.reduce((sum, count) => sum + count, 0),
        urls,
      );
      assert.ok(Math.min(...pages) > 0);
    });
  }
});
