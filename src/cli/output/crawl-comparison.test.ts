import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseW3cDate } from '../../sitemap/lastmod.ts';
import { comparePages } from './crawl-comparison.ts';
import { DatedPages } from './dated-pages.ts';

function pages(dates: Readonly<Record<string, string | null>>, complete = true): DatedPages {
  const made = new DatedPages();
  for (const [url, date] of Object.entries(dates)) made.add(url, date, toVersion(date));
  made.complete = complete;
  return made;
}

const toVersion = (date: string | null) => (date === null ? null : parseW3cDate(date));

const compare = (old: DatedPages, now: DatedPages): string[] =>
  [...comparePages(old, now)].map(({ change, url }) => `${change} ${url}`);

describe('two crawls', () => {
  test('differ by pages that are new, changed and gone, in the order of the new and then of the old one', () => {
    const old = pages({ a: '2026-01-01', b: '2026-01-01', c: null, d: null });
    const now = pages({ e: null, b: '2026-01-02', a: '2026-01-01', c: null });
    assert.deepEqual(compare(old, now), ['new e', 'changed b', 'gone d']);
    assert.deepEqual([...comparePages(old, now)][1], {
      type: 'page_change',
      change: 'changed',
      url: 'b',
      lastmod: '2026-01-02',
      old_lastmod: '2026-01-01',
    });
  });

  const dates: readonly (readonly [string | null, string | null, boolean])[] = [
    ['2026-01-01T10:00:00Z', '2026-01-01T13:00:00+03:00', false],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:01Z', true],
    ['2026-01-01', '2026-01-01T10:00:00Z', false],
    ['2026-01-02T10:00:00Z', '2026-01-01T10:00:00Z', true],
    [null, '2026-01-01', false],
    ['2026-01-01', null, false],
    ['yesterday', 'yesterday', false],
    ['yesterday', 'today', true],
    ['yesterday', '2026-01-01', true],
  ];
  for (const [before, now, isChanged] of dates) {
    test(`${before} and ${now} are ${isChanged ? '' : 'not '}a change`, () => {
      assert.deepEqual(compare(pages({ a: before }), pages({ a: now })), isChanged ? ['changed a'] : []);
    });
  }

  test('of which one is not complete show no page as gone, or as new', () => {
    assert.deepEqual(compare(pages({ a: null }), pages({ b: null }, false)), ['new b']);
    assert.deepEqual(compare(pages({ a: null }, false), pages({ b: null })), ['gone a']);
  });

  test('take the later date of a page that is named twice', () => {
    const old = pages({ a: '2026-01-02' });
    const now = pages({});
    for (const date of ['2026-01-01', null, '2026-01-03', '2026-01-02']) now.add('a', date, toVersion(date));
    assert.deepEqual(now.get('a')?.lastmod, '2026-01-03');
    assert.deepEqual(compare(old, now), ['changed a']);
  });
});
