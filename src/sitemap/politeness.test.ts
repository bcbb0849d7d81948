import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { collect, sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../test/support/sitemap/server.ts';
import type { CrawlOptions, KnownSitemap } from './crawl.ts';

const A = 'https://shop.example/a';
const B = 'https://shop.example/b';

/** A clock that only sleeping moves, with the waits. */
function virtualTime() {
  const waits: number[] = [];
  const clock = { ms: Date.parse('2026-11-22T04:30:00Z') };
  const options: CrawlOptions = {
    now: () => clock.ms,
    sleep: async (ms) => {
      waits.push(ms);
      clock.ms += ms;
    },
  };
  return { waits, options, now: () => clock.ms };
}

describe('Retry-After within a run', () => {
  for (const status of [429, 503]) {
    for (const form of ['seconds', 'a date'] as const) {
      test(`a ${status} with Retry-After as ${form} is read again after that wait`, async () => {
        const time = virtualTime();
        let answers = 0;
        await using server = await serve({
          '/s.xml': (_, response) => {
            answers += 1;
            const at = form === 'seconds' ? '12' : new Date(time.now() + 12_000).toUTCString();
            if (answers === 1) response.writeHead(status, { 'retry-after': at }).end();
            else response.end(urlset(A));
          },
        });
        const got = await collect([`${server.origin}/s.xml`], time.options);
        assert.deepEqual([got.locs, got.codes, got.complete], [[A], [], true]);
        assert.deepEqual(time.waits, [12_000]);
      });

      test(`a ${status} that asks in ${form} for more than a crawl waits ends with both times`, async () => {
        const time = virtualTime();
        const limit: Route = (_, response) => {
          const at = form === 'seconds' ? '90' : new Date(time.now() + 90_000).toUTCString();
          response.writeHead(status, { 'retry-after': at }).end();
        };
        await using server = await serve({ '/s.xml': limit });
        const got = await collect([`${server.origin}/s.xml`], time.options);
        assert.deepEqual([server.requests.length, time.waits], [1, []]);
        assert.equal(
          got.problems[0]?.message,
          `HTTP ${status}; the server asks to wait 90 s, and a crawl waits at most 30 s`,
        );
        assert.equal(got.problems[0]?.retryAfterMs, 90_000);
      });
    }
  }
});

describe('Crawl-delay of robots.txt', () => {
  const site = (robots: Route): Record<string, Route> => ({
    '/robots.txt': robots,
    '/index.xml': sitemapindex('/1.xml', '/2.xml', '/3.xml'),
    '/1.xml': urlset(A),
    '/2.xml': urlset(B),
    '/3.xml': urlset(`${A}3`),
  });
  const delays = (got: Awaited<ReturnType<typeof collect>>) =>
    got.events.flatMap((event) => (event.type === 'delay' ? [[event.delayMs, event.askedMs]] : []));

  test('is not asked for unless it is respected', async () => {
    const time = virtualTime();
    await using server = await serve(site('User-agent: *\nCrawl-delay: 2\n'));
    const got = await collect([`${server.origin}/index.xml`], time.options);
    assert.deepEqual([got.locs.length, time.waits, delays(got)], [3, [], []]);
    assert.ok(!server.requests.includes('GET /robots.txt'));
  });

  test('is the wait between two requests to the host, and is read once', async () => {
    const time = virtualTime();
    await using server = await serve(site('User-agent: *\nCrawl-delay: 2\n'));
    const options = { ...time.options, respectCrawlDelay: true, concurrency: 1 };
    const got = await collect([`${server.origin}/index.xml`], options);
    assert.deepEqual([got.complete, delays(got), time.waits], [true, [[2_000, 2_000]], [2_000, 2_000, 2_000, 2_000]]);
    assert.equal(server.requests.filter((request) => request === 'GET /robots.txt').length, 1);
  });

  test('is cut to 30 s, and both are reported', async () => {
    const time = virtualTime();
    const zipped: Route = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('User-agent: *\nCrawl-delay: 600\n'));
    };
    await using server = await serve(site(zipped));
    const got = await collect([`${server.origin}/1.xml`], { ...time.options, respectCrawlDelay: true });
    assert.deepEqual([delays(got), time.waits, got.locs], [[[30_000, 600_000]], [30_000], [A]]);
  });

  test('is found at the beginning of a robots.txt that is too large to be read whole', async () => {
    const time = virtualTime();
    await using server = await serve(site(`User-agent: *\nCrawl-delay: 2\n${'Disallow: /a-folder\n'.repeat(40_000)}`));
    const got = await collect([`${server.origin}/1.xml`], { ...time.options, respectCrawlDelay: true });
    assert.deepEqual([got.complete, delays(got)], [true, [[2_000, 2_000]]]);
  });

  test('a robots.txt that cannot be read asks for nothing', async () => {
    const time = virtualTime();
    await using server = await serve(site((_, response) => response.writeHead(500).end()));
    const got = await collect([`${server.origin}/index.xml`], { ...time.options, respectCrawlDelay: true });
    assert.deepEqual([got.locs.length, delays(got), time.waits], [3, [], []]);
  });

  test('a delay of another host is its own', async () => {
    const time = virtualTime();
    await using slow = await serve(site('User-agent: *\nCrawl-delay: 2\n'));
    await using quick = await serve({ '/q.xml': urlset(A) });
    const sources = [`${quick.origin}/q.xml`, `${slow.origin}/1.xml`];
    const got = await collect(sources, { ...time.options, respectCrawlDelay: true, concurrency: 1 });
    assert.deepEqual([got.complete, time.waits], [true, [2_000]]);
  });
});

describe('what a 304 saves', () => {
  const ETAG = '"v1"';
  const body = gzipSync(urlset(A, B));

  async function crawlTwice(answer: Route) {
    const known = new Map<string, KnownSitemap>();
    await using server = await serve({ '/s.xml.gz': answer });
    const sources = [`${server.origin}/s.xml.gz`];
    const options = { known: async (sitemap: string) => known.get(sitemap) };
    const [first] = (await collect(sources, options)).verdicts;
    assert.ok(first?.verdict === 'complete');
    known.set(first.sitemap, first);
    const [second] = (await collect(sources, options)).verdicts;
    assert.ok(second?.verdict === 'not-modified');
    return { first, second };
  }

  test('is the size as sent and the time of the last transfer', async () => {
    const { first, second } = await crawlTwice(({ headers }, response) => {
      if (headers['if-none-match'] === ETAG) response.writeHead(304).end();
      else setTimeout(() => response.writeHead(200, { etag: ETAG }).end(body), 60);
    });
    assert.equal(first.bytes, body.length);
    assert.ok((first.tookMs ?? 0) >= 55, `${first.tookMs} ms`);
    assert.deepEqual(second.saved, { bytes: body.length, ms: first.tookMs });
    assert.equal(second.bytes, body.length, 'kept for the next 304');
  });

  test('is nothing when the same bytes were transferred again', async () => {
    const { second } = await crawlTwice((_, response) => response.end(body));
    assert.equal(second.saved, undefined);
  });
});
