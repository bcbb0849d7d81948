import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CrawlEvent, SitemapEntry } from '../../sitemap/crawl.ts';
import { parseW3cDate } from '../../sitemap/lastmod.ts';
import type { Url } from '../../url/normalize-url.ts';
import { CrawlStats } from './crawl-stats.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const page = (url: string, lastmod: string | null = null): SitemapEntry => ({
  loc: url,
  url: url as Url,
  lastmod,
  version: lastmod === null ? null : parseW3cDate(lastmod),
});
const INDEX = 'https://a.example/index.xml';
const CHILD = 'https://a.example/child.xml';
const entries = (...list: SitemapEntry[]): CrawlEvent => ({ type: 'entries', sitemap: CHILD, entries: list });

function count(...events: CrawlEvent[]) {
  const stats = new CrawlStats(() => NOW);
  for (const event of events) stats.on(event);
  return stats;
}

describe('statistics of a crawl', () => {
  test('a page that is named twice is one page and one duplicate', () => {
    const { record } = count(
      entries(page('https://a.example/1'), page('https://a.example/1'), page('https://a.example/2')),
    );
    assert.deepEqual([record.urls, record.unique_urls, record.duplicates], [3, 2, 1]);
  });

  test('lastmods are counted by age; an invalid one has no age', () => {
    const dates = [
      '2026-11-21',
      '2026-11-16',
      '2026-11-01',
      '2026-01-01',
      '2020-01-01',
      '2027-01-01',
      'yesterday',
      null,
    ];
    const { record } = count(entries(...dates.map((date, n) => page(`https://a.example/${n}`, date))));
    assert.deepEqual(record.lastmod_ages, { day: 1, week: 1, month: 1, year: 1, older: 1, future: 1 });
    assert.deepEqual([record.lastmods, record.invalid_lastmods], [7, 1]);
  });

  test('hosts are sorted by their pages; a longer host is not the one before it', () => {
    const urls = [
      'https://a.example/1',
      'https://a.example.org/1',
      'https://a.example.org/2',
      'http://a.example:8080/1',
    ];
    const { record } = count(entries(...urls.map((url) => page(url))));
    assert.deepEqual(record.hosts, [
      { host: 'a.example.org', urls: 2 },
      { host: 'a.example', urls: 1 },
      { host: 'a.example:8080', urls: 1 },
    ]);
  });

  test('hosts beyond a thousand are counted together', () => {
    const { record } = count(entries(...Array.from({ length: 1_010 }, (_, n) => page(`https://h${n}.example/`))));
    assert.deepEqual([record.host_count, record.urls_of_other_hosts, record.hosts.length], [1_000, 10, 20]);
  });

  test('a relative URL is no page', () => {
    const { record } = count(entries({ loc: '/a', url: null, relative: true, lastmod: null, version: null }));
    assert.deepEqual([record.urls, record.relative_urls], [0, 1]);
  });

  test('sitemaps are counted by depth, and the slowest come first', () => {
    let now = 0;
    // The clock measures; the moment that dates are judged by may stand still.
    const stats = new CrawlStats(
      () => NOW,
      () => now,
    );
    const verdict = (sitemap: string): CrawlEvent => ({
      type: 'verdict',
      sitemap,
      verdict: 'duplicate',
      sameAs: INDEX,
    });
    stats.on({ type: 'sitemap', sitemap: INDEX, depth: 0, parent: null });
    now = 40;
    stats.on(verdict(INDEX));
    stats.on({ type: 'sitemap', sitemap: CHILD, depth: 1, parent: INDEX });
    now = 1_540;
    stats.on(verdict(CHILD));
    assert.deepEqual(stats.record.sitemaps_by_depth, [1, 1]);
    assert.deepEqual(stats.record.slowest, [
      { sitemap: CHILD, ms: 1_500 },
      { sitemap: INDEX, ms: 40 },
    ]);
    assert.match(stats.text, /slowest {5}1\.50 s https:\/\/a\.example\/child\.xml\n {12}0\.04 s/);
  });

  test('the coverage is 100% only when no lastmod is missing', () => {
    const dated = Array.from({ length: 999 }, (_, n) => page(`https://a.example/${n}`, '2026-01-01'));
    assert.match(count(entries(...dated, page('https://a.example/x'))).text, /lastmod {5}999 \(99%\)/);
  });

  test('nothing found is zero everywhere', () => {
    assert.match(count().text, /^pages {7}0, and 0 duplicates\nlastmod {5}0 \(0%\)/);
  });
});
