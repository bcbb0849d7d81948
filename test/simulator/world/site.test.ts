import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FORMATS, Site, writeMoment } from './site.ts';

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

  test('not when only the way to write it has changed: what is not equally exact may name one edit', () => {
    for (const [later, isChange] of [
      ['2026-01-02', false],
      ['2026-01-05', true],
    ] as const) {
      const site = publishEach('2026-01-01T10:00:00Z');
      site.formats.set('w0', 'day');
      site.publish('w0', [{ url: URL, lastmod: later }]);
      assert.equal(site.isChange(URL), isChange, later);
    }
  });

  test('not when another sitemap has listed the page', () => {
    const site = publishEach('2026-01-01', '2026-01-02');
    site.publish('w1', [{ url: URL, lastmod: '2026-01-02' }]);
    assert.equal(site.isChange(URL), false);
  });
});

describe('a folder for new pages', () => {
  test('is another one each time, by sitemap', () => {
    const site = new Site();
    const names = [site.nameNew('w0', 'b'), site.nameNew('w0', 'b'), site.nameNew('w1', 'b'), site.nameNew('w0', 'b')];
    assert.deepEqual(names, ['b', 'b-1', 'b', 'b-2']);
  });
});

describe('a lastmod in a format', () => {
  const MOMENT = '2026-01-02T07:08:09.120Z';

  test('names its moment, by the minute and by the day a part of it', () => {
    const written = FORMATS.map((format) => writeMoment(MOMENT, format));
    assert.deepEqual(written.slice(1), [
      ...['2026-01-02T07:08:09.120Z', '2026-01-02T07:08:09Z', '2026-01-02T07:08Z'],
      ...['2026-01-02T10:08:09+03:00', '2026-01-02'],
    ]);
    for (const format of FORMATS) {
      assert.equal(Date.parse(writeMoment('2026-01-02', format)), Date.parse('2026-01-02'), format);
    }
  });

  test('has changed only where the format shows it', () => {
    for (const [format, versions] of [
      ['seconds', 2],
      ['day', 1],
    ] as const) {
      const site = new Site();
      site.formats.set('w0', format);
      site.publish('w0', [{ url: URL, lastmod: MOMENT }]);
      site.publish('w0', [{ url: URL, lastmod: '2026-01-02T09:00:00Z' }]);
      assert.equal(site.getVersions(URL), versions, format);
    }
  });
});
