import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Site } from './site.ts';

const URL = 'https://www.shop.example/a';

/** A site whose only page has had these lastmods, one after another. */
function publishEach(...lastmods: readonly (string | null)[]): Site {
  const site = new Site();
  for (const lastmod of lastmods) site.publish('w0', [{ url: URL, lastmod }]);
  return site;
}

describe('a lastmod is certainly a change', () => {
  test('when it is the newest of all', () => {
    assert.ok(publishEach('2026-01-01', '2026-01-02').isChange(URL));
    assert.ok(publishEach('2026-01-02', '2026-01-01', '2026-01-03').isChange(URL));
  });

  test('not when the page had a newer one', () => {
    assert.equal(publishEach('2026-01-02', '2026-01-01').isChange(URL), false);
  });

  test('not when the page had it before: no crawl may have seen the one in between', () => {
    assert.equal(publishEach('2026-01-02', '2026-01-01', '2026-01-02').isChange(URL), false);
  });

  test('not when it is the first', () => {
    assert.equal(publishEach(null, '2026-01-02').isChange(URL), false);
  });

  test('not when another sitemap has listed the page', () => {
    const site = publishEach('2026-01-01', '2026-01-02');
    site.publish('w1', [{ url: URL, lastmod: '2026-01-02' }]);
    assert.equal(site.isChange(URL), false);
  });
});
