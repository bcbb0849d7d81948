import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CrawlFrontier } from './crawl-frontier.ts';
import type { CrawlEvent, Verdict } from './events.ts';
import { HostPolicy } from './fetch/host-policy.ts';
import { toSettings } from './options.ts';
import type { Source } from './source.ts';

const toSource = (name: string): Source => ({ kind: 'http', name });
const page = (sitemap: string): Verdict => ({
  sitemap,
  verdict: 'complete',
  kind: 'urlset',
  urls: 1,
  fingerprint: 'x',
  bytes: 1,
  tookMs: 1,
});

/** Runs a frontier over sitemaps that need no network: a name leads to its children. */
async function run(sources: readonly string[], children: ReadonlyMap<string, readonly string[]>, maxSitemaps?: number) {
  const events: CrawlEvent[] = [];
  const opened: string[] = [];
  const settings = toSettings(maxSitemaps === undefined ? {} : { maxSitemaps });
  const frontier = new CrawlFrontier({
    settings,
    policy: new HostPolicy({ anyHost: true, hosts: [] }),
    budget: { urls: 0, isSpent: false, maxUrls: settings.maxUrls, maxSitemaps: settings.maxSitemaps },
    emit: async (event) => void events.push(event),
  });
  const summary = await frontier.run(
    sources.map(toSource),
    async ({ name }) => {
      opened.push(name);
      return { verdict: page(name), children: children.get(name) ?? [], location: undefined };
    },
    new AbortController().signal,
  );
  const problems = events.filter((event) => event.type === 'problem');
  return { summary, opened, problems };
}

describe('crawl frontier', () => {
  test('an index with the 50,000 children of the protocol is complete', async () => {
    const children = Array.from({ length: 50_000 }, (_, n) => `https://shop.example/${n}.xml`);
    const index = 'https://shop.example/index.xml';
    const { summary, problems } = await run([index], new Map([[index, children]]));
    assert.deepEqual([summary.sitemaps, summary.complete, problems], [50_001, true, []]);
  });

  test('sources beyond the limit make the crawl incomplete', async () => {
    const sources = ['https://shop.example/a.xml', 'https://shop.example/b.xml', 'https://shop.example/c.xml'];
    const { summary, opened, problems } = await run(sources, new Map(), 1);
    assert.deepEqual([opened, summary.complete], [['https://shop.example/a.xml'], false]);
    assert.deepEqual(problems, [
      {
        type: 'problem',
        sitemap: 'https://shop.example/b.xml',
        code: 'TOO_MANY_SITEMAPS',
        severity: 'error',
        message: '2 sources were not opened: the limit of this crawl is 1 sitemap (--max-sitemaps)',
        count: 2,
      },
    ]);
    const none = await run(sources, new Map(), 0);
    assert.deepEqual([none.opened, none.summary.complete], [[], false]);
    const twice = await run(['https://shop.example/a.xml', 'https://shop.example/a.xml'], new Map(), 1);
    assert.deepEqual([twice.opened.length, twice.summary.complete], [1, true]);
  });

  test('children beyond the limit are reported once, with their number', async () => {
    const index = 'https://shop.example/index.xml';
    const children = Array.from({ length: 5 }, (_, n) => `https://shop.example/${n}.xml`);
    const { summary, problems } = await run([index], new Map([[index, children]]), 4);
    assert.equal(summary.complete, false);
    assert.deepEqual(
      problems.map(({ message, count }) => [message, count]),
      [['2 sitemaps not opened: the limit of this crawl is 4 sitemaps (--max-sitemaps)', 2]],
    );
  });
});
