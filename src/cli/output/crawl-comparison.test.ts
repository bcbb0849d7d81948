import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseW3cDate } from '../../sitemap/lastmod.ts';
import type { Url } from '../../url/normalize-url.ts';
import { ComparedCrawl } from './compared-crawl.ts';
import { comparePages } from './crawl-comparison.ts';
import { PageTable } from './page-table.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

type Dated = readonly (readonly [url: string, date?: string | null])[];

function compareAll(old: Dated, now: Dated, { isOldComplete = true, isComplete = true } = {}) {
  const table = new PageTable();
  const read = (pages: Dated, complete: boolean): ComparedCrawl => {
    const crawl = new ComparedCrawl(table, NOW);
    const entries = pages.map(([url, lastmod = null]) => ({
      loc: url,
      url: url as Url,
      lastmod,
      version: lastmod === null ? null : parseW3cDate(lastmod),
    }));
    crawl.on({ type: 'entries', sitemap: 's', entries });
    crawl.on({ type: 'summary', urls: pages.length, sitemaps: 1, notModified: 0, complete });
    return crawl;
  };
  const [before, after] = [read(old, isOldComplete), read(now, isComplete)];
  return { changes: [...comparePages(table, before, after)], sizes: [before.size, after.size] };
}

const compare = (...args: Parameters<typeof compareAll>): string[] =>
  compareAll(...args).changes.map(({ change, url }) => `${change} ${url}`);

describe('two crawls', () => {
  test('differ by pages that are new, changed and gone, in the order of the new and then of the old one', () => {
    const old: Dated = [['a', '2026-01-01'], ['b', '2026-01-01T13:00:00+03:00'], ['c'], ['d']];
    const now: Dated = [['e'], ['b', '2026-01-02T10:00Z'], ['a', '2026-01-01'], ['c']];
    assert.deepEqual(compare(old, now), ['new e', 'changed b', 'gone d']);
    assert.deepEqual(compareAll(old, now).changes[1], {
      type: 'page_change',
      change: 'changed',
      url: 'b',
      lastmod: '2026-01-02T10:00Z',
      old_lastmod: '2026-01-01T10:00:00Z',
    });
  });

  const dates: readonly (readonly [string | null, string | null, boolean])[] = [
    ['2026-01-01T10:00:00Z', '2026-01-01T13:00:00+03:00', false],
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:01Z', true],
    ['2026-01-01', '2026-01-01T10:00:00Z', false],
    ['2026-01-01', '2026-01-02', true],
    ['1950-01-01', '1951-01-01', true],
    // A date that is taken back is no edit, and what lies ahead or is no date says nothing of one.
    ['2026-01-02T10:00:00Z', '2026-01-01T10:00:00Z', false],
    ['2026-01-01', '2027-01-01', false],
    ['2027-01-01', '2026-01-01', false],
    [null, '2026-01-01', false],
    ['2026-01-01', null, false],
    ['yesterday', 'today', false],
    ['yesterday', '2026-01-01', false],
  ];
  for (const [before, now, isChanged] of dates) {
    test(`${before} and ${now} are ${isChanged ? '' : 'not '}a change`, () => {
      assert.deepEqual(compare([['a', before]], [['a', now]]), isChanged ? ['changed a'] : []);
    });
  }

  test('of which one is not complete show no page as gone, or as new', () => {
    assert.deepEqual(compare([['a']], [['b']], { isComplete: false }), ['new b']);
    assert.deepEqual(compare([['a']], [['b']], { isOldComplete: false }), ['gone a']);
  });

  test('take the later date of a page that is named twice', () => {
    const now: Dated = [['a', '2026-01-01'], ['a'], ['a', '2026-01-03'], ['a', '2026-01-02'], ['a', '2027-01-01']];
    const { changes, sizes } = compareAll([['a', '2026-01-02']], now);
    assert.deepEqual([changes.map(({ lastmod }) => lastmod), sizes], [['2026-01-03'], [1, 1]]);
  });

  test('of many pages have the texts of all of them', () => {
    const url = (n: number) => `https://shop.example/${'x'.repeat(n % 900)}/${n}`;
    const pages = Array.from({ length: 5_000 }, (_, n) => url(n));
    const changes = compareAll(
      pages.slice(0, 3_000).map((page) => [page]),
      pages.slice(2_000).map((page) => [page]),
    );
    assert.deepEqual(
      changes.changes.map(({ url: page }) => page),
      [...pages.slice(3_000), ...pages.slice(0, 2_000)],
    );
    assert.deepEqual(changes.sizes, [3_000, 3_000]);
  });
});
