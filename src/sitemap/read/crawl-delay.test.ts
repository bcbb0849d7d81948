import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCrawlDelay } from './crawl-delay.ts';

describe('Crawl-delay of a robots.txt', () => {
  const cases: readonly (readonly [string, string, number | null])[] = [
    ['of all agents', 'User-agent: *\nCrawl-delay: 2', 2_000],
    ['with a fraction', 'User-agent: *\nCrawl-delay: 0.5 # slowly', 500],
    ['of our own group', 'User-agent: *\nCrawl-delay: 9\n\nUser-agent: Sitemap-Courier\nCrawl-delay: 1', 1_000],
    ['none in our own group', 'User-agent: *\nCrawl-delay: 9\nUser-agent: sitemap-courier\nDisallow: /x', null],
    ['of a group of several agents', 'user-agent: a\nuser-agent: *\ndisallow: /x\ncrawl-delay: 3', 3_000],
    ['of another agent', 'User-agent: otherbot\nCrawl-delay: 9', null],
    [
      'of a later group of the same agent',
      'User-agent: *\nDisallow:\nUser-agent: b\nUser-agent: *\nCrawl-delay: 4',
      4_000,
    ],
    ['the longest of two', 'User-agent: *\r\nCrawl-delay: 1\r\nCrawl-delay: 5\r\n', 5_000],
    ['zero', 'User-agent: *\nCrawl-delay: 0', null],
    ['negative', 'User-agent: *\nCrawl-delay: -1', null],
    ['in words', 'User-agent: *\nCrawl-delay: often', null],
    ['before any agent', 'Crawl-delay: 3\nUser-agent: *\nDisallow: /x', null],
    ['none', 'Sitemap: https://shop.example/sitemap.xml', null],
  ];
  for (const [what, robots, ms] of cases) {
    test(`${what}: ${ms}`, () => assert.equal(parseCrawlDelay(robots, 'sitemap-courier/1.0 (+me)'), ms));
  }
});
