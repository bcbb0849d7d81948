import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { collect, sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../test/support/sitemap/server.ts';
import type { CrawlEvent, KnownSitemap } from './crawl.ts';
import { crawl } from './crawl.ts';

const A = 'https://shop.example/a';
const B = 'https://shop.example/b';
const redirect =
  (to: string, status = 301): Route =>
  (_, response) =>
    response.writeHead(status, { location: to }).end();
const status =
  (code: number, headers: Record<string, string> = {}): Route =>
  (_, response) =>
    response.writeHead(code, headers).end('<html>');

test('an index and nested indexes are followed, each sitemap once', async () => {
  await using server = await serve((origin) => ({
    '/index.xml': sitemapindex(`${origin}/a.xml`, `${origin}/nested.xml`, `${origin}/a.xml#again`, '/relative.xml.gz'),
    '/nested.xml': sitemapindex(`${origin}/b.xml`, `${origin.toUpperCase().replace('HTTP', 'HTTP')}/a.xml`),
    '/a.xml': urlset(A),
    '/b.xml': urlset(B),
    '/relative.xml.gz': gzipSync(urlset(`${B}2`)),
  }));
  const got = await collect([`${server.origin}/index.xml`]);
  assert.deepEqual(got.locs.sort(), [A, B, `${B}2`]);
  assert.equal(got.complete, true);
  assert.equal(got.verdicts.length, 5);
  assert.equal(new Set(server.requests).size, server.requests.length);
});

test('a robots.txt leads to its sitemaps, on other hosts too', async () => {
  await using other = await serve({ '/b.xml': urlset(B) });
  const elsewhere = other.origin.replace('127.0.0.1', 'localhost');
  await using server = await serve((origin) => ({
    '/robots.txt': `User-agent: *\nSitemap: ${origin}/a.xml\nSITEMAP: ${elsewhere}/b.xml\n`,
    '/a.xml': urlset(A),
  }));
  const got = await collect([`${server.origin}/robots.txt`]);
  assert.deepEqual([got.locs.sort(), got.complete], [[A, B], true]);
});

test('a failed child makes the crawl incomplete and stops no other child', async () => {
  await using server = await serve({
    '/index.xml': sitemapindex('/a.xml', '/gone.xml', '/page.html'),
    '/a.xml': urlset(A),
    '/page.html': '<!doctype html><html></html>',
  });
  const got = await collect([`${server.origin}/index.xml`]);
  assert.deepEqual([got.locs, got.complete], [[A], false]);
  assert.deepEqual(got.codes, ['error HTTP_STATUS', 'error NOT_SITEMAP']);
});

test('an index that lists itself or its ancestors ends with a CYCLE warning', async () => {
  await using server = await serve((origin) => ({
    '/index.xml': sitemapindex(
      `${origin}/index.xml`,
      `${origin}/./index.xml`,
      '/child.xml',
      `${origin.replace('http', 'HTTP')}/index.xml`,
    ),
    '/child.xml': sitemapindex('/index.xml', '/child.xml', '/back'),
    '/back': redirect('/index.xml'),
  }));
  const got = await collect([`${server.origin}/index.xml`]);
  assert.ok(
    got.codes.every((code) => code === 'warning CYCLE'),
    String(got.codes),
  );
  assert.equal(got.complete, true);
  assert.ok(server.requests.length <= 4, String(server.requests));
});

test('endless indexes stop at the limits of depth and number', async () => {
  let made = 0;
  const next = () => {
    made += 1;
    return made;
  };
  await using server = await serve({
    '/deep': (_, response) => response.end(sitemapindex(`/deep?${next()}`)),
    '/wide': (_, response) => response.end(sitemapindex(...Array.from({ length: 10 }, () => `/wide?${next()}`))),
  });
  const deep = await collect([`${server.origin}/deep`], { maxDepth: 4 });
  assert.deepEqual([deep.codes, deep.complete, deep.verdicts.length], [['error DEPTH_EXCEEDED'], false, 5]);
  const wide = await collect([`${server.origin}/wide`], { maxSitemaps: 40 });
  assert.equal(wide.complete, false);
  assert.ok(
    wide.codes.every((code) => code === 'error TOO_MANY_SITEMAPS'),
    String(wide.codes),
  );
  assert.ok(wide.verdicts.length <= 40);
  const tree = await collect([`${server.origin}/wide`]);
  assert.ok(
    tree.codes.includes('error TOO_MANY_SITEMAPS') && tree.verdicts.length < 3_000,
    String(tree.verdicts.length),
  );
});

test('when maxUrls is reached nothing more is opened', async () => {
  const children = Array.from({ length: 50 }, (_, n) => `/${n}.xml`);
  await using server = await serve({
    '/index.xml': sitemapindex(...children),
    ...Object.fromEntries(children.map((child) => [child, urlset(A, B)])),
  });
  const got = await collect([`${server.origin}/index.xml`], { maxUrls: 3 });
  assert.deepEqual([got.locs.length, got.complete], [3, false]);
  assert.ok(server.requests.length < 10, String(server.requests.length));
});

test('maxUrls is exact over all sitemaps', async () => {
  const pages = (from: number) => urlset(...Array.from({ length: 10 }, (_, n) => `${A}${from + n}`));
  await using server = await serve({
    '/index.xml': sitemapindex('/1.xml', '/2.xml'),
    '/1.xml': pages(0),
    '/2.xml': pages(10),
  });
  const got = await collect([`${server.origin}/index.xml`], { maxUrls: 15 });
  assert.equal(got.locs.length, 15);
  assert.deepEqual([got.codes, got.complete], [['error TOO_MANY_URLS'], false]);
  const enough = await collect([`${server.origin}/index.xml`], { maxUrls: 20 });
  assert.deepEqual([enough.codes, enough.complete, enough.locs.length], [[], true, 20]);
});

const answers: readonly (readonly [string, Record<string, Route>, string, number?])[] = [
  ['404', {}, 'HTTP_STATUS', 1],
  ['403', { '/s': status(403) }, 'HTTP_STATUS', 1],
  ['503 on every try', { '/s': status(503) }, 'HTTP_STATUS', 3],
  ['429 on every try', { '/s': status(429) }, 'HTTP_STATUS', 3],
  ['304 that nobody asked for', { '/s': status(304) }, 'HTTP_STATUS', 1],
  ['204', { '/s': status(204) }, 'HTTP_STATUS', 1],
  ['a redirect to itself', { '/s': redirect('/s') }, 'REDIRECT_LOOP', 1],
  ['a redirect loop', { '/s': redirect('/t'), '/t': redirect('/s') }, 'REDIRECT_LOOP', 2],
  [
    'redirects without end',
    {
      '/s': (request, response) => response.writeHead(302, { location: `${request.url}x` }).end(),
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`/s${'x'.repeat(n + 1)}`, redirect(`/s${'x'.repeat(n + 2)}`)]),
      ),
    },
    'TOO_MANY_REDIRECTS',
    11,
  ],
  ['a redirect to nowhere', { '/s': status(301) }, 'HTTP_STATUS', 1],
  ['a redirect to a file', { '/s': redirect('file:///etc/passwd') }, 'BAD_URL', 1],
  ['a redirect with credentials', { '/s': redirect('http://a:b@127.0.0.1/') }, 'BAD_URL', 1],
  ['a redirect to another host', { '/s': redirect('http://localhost:1/') }, 'OFF_HOST', 1],
  ['an empty body', { '/s': '' }, 'EMPTY', 1],
  ['a connection that breaks', { '/s': (request) => request.socket.destroy() }, 'NETWORK', 3],
  [
    'a body shorter than it said',
    {
      '/s': (request, response) => {
        response.writeHead(200, { 'content-length': '5000' });
        response.write(urlset(A));
        setImmediate(() => request.socket.destroy());
      },
    },
    'NETWORK',
    3,
  ],
];
describe('answers that end a fetch', () => {
  for (const [what, routes, code, requests] of answers) {
    test(`${what} is ${code} after ${requests} requests`, async () => {
      await using server = await serve(routes);
      const got = await collect([`${server.origin}/s`]);
      assert.deepEqual([got.codes, got.complete], [[`error ${code}`], false]);
      assert.equal(got.verdicts.length, 1);
      assert.equal(server.requests.length, requests);
    });
  }
});

test('redirects of every status are followed, relative and with fragments', async () => {
  await using server = await serve({
    '/1': redirect('/2', 302),
    '/2': redirect('3?x#y', 307),
    '/3': redirect('//127.0.0.1:PORT/4', 308),
    '/a.xml': urlset(B),
  });
  await using front = await serve({
    '/1': redirect('/x/2', 302),
    '/x/2': redirect('3?x#y', 307),
    '/x/3': redirect(`${server.origin}/a.xml`, 308),
  });
  const got = await collect([`${front.origin}/1`]);
  assert.deepEqual(got.locs, [B]);
});

test('two addresses of one sitemap are read once', async () => {
  await using server = await serve({
    '/index.xml': sitemapindex('/a.xml', '/old.xml'),
    '/old.xml': redirect('/a.xml'),
    '/a.xml': urlset(A),
  });
  const got = await collect([`${server.origin}/index.xml`], { concurrency: 1 });
  assert.deepEqual([got.locs, got.complete], [[A], true]);
  assert.deepEqual(got.verdicts.at(-1), {
    sitemap: `${server.origin}/old.xml`,
    verdict: 'duplicate',
    sameAs: `${server.origin}/a.xml`,
  });
});

test('a redirect to a small sitemap that was read already does not end the process', async () => {
  // The body has arrived whole when it is discarded; the crawl still reads, so the process would see its error.
  await using server = await serve((origin) => ({
    '/robots.txt': `Sitemap: ${origin}/sitemap_index.xml\nSitemap: ${origin}/sitemap.xml\n`,
    '/sitemap.xml': redirect('/sitemap_index.xml'),
    '/sitemap_index.xml': sitemapindex('/slow.xml'),
    '/slow.xml': (_, response) => void setTimeout(() => response.end(urlset(A)), 50),
  }));
  const got = await collect([`${server.origin}/robots.txt`]);
  assert.deepEqual([got.locs, got.complete], [[A], true]);
});

test('a redirect to a sibling is a duplicate and not a cycle, in both orders', async () => {
  for (const names of [
    ['old.xml', 'sitemap.xml'],
    ['sitemap.xml', 'old.xml'],
  ]) {
    await using server = await serve((origin) => ({
      '/robots.txt': names.map((name) => `Sitemap: ${origin}/${name}\n`).join(''),
      '/old.xml': redirect('/sitemap.xml'),
      '/sitemap.xml': urlset(A),
    }));
    const got = await collect([`${server.origin}/robots.txt`], { concurrency: 1 });
    assert.deepEqual([got.locs, got.codes, got.complete], [[A], [], true]);
  }
});

test('many addresses of one sitemap leave no connection open', { timeout: 10_000 }, async () => {
  const aliases = Array.from({ length: 40 }, (_, n) => `/${n}.xml`);
  await using server = await serve({
    '/index.xml': sitemapindex('/a.xml', ...aliases),
    '/a.xml': Buffer.from(urlset(...Array.from({ length: 20_000 }, (_, n) => `${A}${n}`))),
    ...Object.fromEntries(aliases.map((alias) => [alias, redirect('/a.xml')])),
  });
  const got = await collect([`${server.origin}/index.xml`]);
  assert.deepEqual([got.locs.length, got.complete], [20_000, true]);
  assert.equal(got.verdicts.filter(({ verdict }) => verdict === 'duplicate').length, 40);
});

test('a transient failure is retried after Retry-After', async () => {
  const waits: number[] = [];
  let calls = 0;
  await using server = await serve({
    '/s': (_, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503, { 'retry-after': '7' }).end();
      else if (calls === 2) response.writeHead(502).end();
      else response.end(urlset(A));
    },
  });
  const got = await collect([`${server.origin}/s`], { sleep: async (ms) => void waits.push(ms) });
  assert.deepEqual([got.locs, got.complete, waits], [[A], true, [7_000, 500]]);
});

test('a host that limits requests for longer than the crawl waits is not asked for its other sitemaps', async () => {
  await using other = await serve({ '/b.xml': urlset(B) });
  await using server = await serve((origin) => ({
    '/robots.txt': [`${origin}/1.xml`, `${origin}/2.xml`, `${origin}/3.xml`, `${other.origin}/b.xml`]
      .map((sitemap) => `Sitemap: ${sitemap}\n`)
      .join(''),
    '/1.xml': status(429, { 'retry-after': '3600' }),
    '/2.xml': urlset(A),
    '/3.xml': urlset(A),
  }));
  const got = await collect([`${server.origin}/robots.txt`], { concurrency: 1 });
  assert.deepEqual([got.locs, server.requests, got.complete], [[B], ['GET /robots.txt', 'GET /1.xml'], false]);
  const refused = got.problems.filter(({ message }) => message.startsWith('not requested'));
  assert.equal(refused.length, 2);
  assert.match(refused[0]?.message ?? '', /the server asks to wait 60 min, and a crawl waits at most 30 s$/);
  assert.ok(refused.every(({ retryAfterMs = 0 }) => retryAfterMs > 3_500_000));
});
test('a short Retry-After of a 429 holds back the other sitemaps of the host too', async () => {
  const waits: number[] = [];
  let calls = 0;
  await using server = await serve({
    '/index.xml': sitemapindex('/1.xml', '/2.xml'),
    '/1.xml': (_, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(429, { 'retry-after': '7' }).end();
      else response.end(urlset(A));
    },
    '/2.xml': urlset(B),
  });
  let now = 1_000_000;
  const sleep = async (ms: number) => {
    waits.push(ms);
    await new Promise((resolve) => setTimeout(resolve, 20));
    now += ms;
  };
  const got = await collect([`${server.origin}/index.xml`], {
    sleep,
    now: () => now,
    concurrency: 2,
    hostConcurrency: 1,
  });
  assert.deepEqual([got.locs.sort(), got.complete, got.codes], [[A, B], true, []]);
  assert.deepEqual(waits, [7_000, 7_000], 'the one that was refused, and the one behind it');
});
test('a 503 with Retry-After is about its own sitemap', async () => {
  await using server = await serve({
    '/index.xml': sitemapindex('/1.xml', '/2.xml'),
    '/1.xml': status(503, { 'retry-after': '3600' }),
    '/2.xml': urlset(A),
  });
  const got = await collect([`${server.origin}/index.xml`], { concurrency: 1 });
  assert.deepEqual([got.locs, got.codes], [[A], ['error HTTP_STATUS']]);
});
test('a slow host does not delay the sitemaps of others', async () => {
  const never: Route = () => {};
  const slowPaths = Array.from({ length: 8 }, (_, n) => `/${n}.xml`);
  await using slow = await serve(Object.fromEntries(slowPaths.map((path) => [path, never])));
  await using quick = await serve({
    '/index.xml': sitemapindex('/1.xml', '/2.xml'),
    '/1.xml': urlset(A),
    '/2.xml': urlset(B),
  });
  const sources = [...slowPaths.map((path) => `${slow.origin}${path}`), `${quick.origin}/index.xml`];
  const ended: string[] = [];
  const options = { allowPrivateHosts: true, concurrency: 2, timeouts: { headersMs: 2_000 } };
  for await (const event of crawl(sources, options)) {
    if (event.type === 'verdict') ended.push(event.sitemap);
    if (ended.length === 3) break;
  }
  assert.deepEqual(
    ended.map((sitemap) => sitemap.replace(quick.origin, '')),
    ['/index.xml', '/1.xml', '/2.xml'],
    'all of the quick host before the first of the slow one',
  );
});
test('a Retry-After beyond the limit ends the fetch and is reported', async () => {
  await using server = await serve({ '/s': status(429, { 'retry-after': '3600' }) });
  const got = await collect([`${server.origin}/s`]);
  assert.equal(server.requests.length, 1);
  assert.equal(got.verdicts[0]?.verdict === 'incomplete' && got.verdicts[0].retryAfterMs, 3_600_000);
});

/** Answers with the first half of a body and breaks off, so often; then with all of it. */
function breaking(body: Buffer, times: number): Route {
  return (request, response) => {
    response.writeHead(200, { 'content-length': body.length });
    times -= 1;
    if (times < 0) response.end(body);
    else response.write(body.subarray(0, body.length / 2), () => setTimeout(() => request.socket.destroy(), 20));
  };
}

test('a body that breaks off is resumed and no page is repeated', async () => {
  const pages = Array.from({ length: 20_000 }, (_, n) => `${A}${n}`);
  await using server = await serve({ '/s': breaking(Buffer.from(urlset(...pages)), 2) });
  const got = await collect([`${server.origin}/s`]);
  assert.equal(got.complete, true);
  assert.deepEqual(got.locs, pages);
});

test('a body that breaks off on every try yields the pages before the break', async () => {
  const pages = Array.from({ length: 20_000 }, (_, n) => `${A}${n}`);
  await using server = await serve({ '/s': breaking(Buffer.from(urlset(...pages)), 9) });
  const got = await collect([`${server.origin}/s`]);
  assert.ok(got.locs.length > 5_000 && got.locs.length < 20_000, String(got.locs.length));
  assert.deepEqual(got.locs, pages.slice(0, got.locs.length));
  assert.deepEqual(got.codes, ['error NETWORK']);
});

test('a body that changes between two attempts is never complete', async () => {
  // More than 8 MB: the beginning of a body that may be unchanged is held back before a page is emitted.
  const pages = (name: string) =>
    Array.from({ length: 20_000 }, (_, n) => `https://shop.example/${name}/${n}/${'x'.repeat(450)}`);
  const other: Route = (_, response) => response.end(urlset(...pages('new')));
  const known: KnownSitemap = {
    kind: 'urlset',
    urls: 1,
    fingerprint: `r2:${'0'.repeat(64)}`,
    etag: '"1"',
    bytes: 1,
    tookMs: 1,
  };
  const seconds: readonly (readonly [string, Route])[] = [
    ['other pages', other],
    ['fewer bytes', urlset(B)],
    ['a redirect to another sitemap of the crawl', redirect('/other.xml')],
    [
      '304 to validators that must not be sent again',
      (request, response) => {
        if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
        else other(request, response);
      },
    ],
  ];
  for (const [what, second] of seconds) {
    let calls = 0;
    const first = breaking(Buffer.from(urlset(...pages('old'))), 1);
    await using server = await serve((origin) => ({
      '/robots.txt': `Sitemap: ${origin}/other.xml\nSitemap: ${origin}/s.xml\n`,
      '/other.xml': urlset(B),
      '/s.xml': (request, response) => {
        calls += 1;
        const route = calls === 1 ? first : second;
        if (typeof route === 'function') route(request, response);
        else response.end(route);
      },
    }));
    const got = await collect([`${server.origin}/robots.txt`], {
      concurrency: 1,
      known: async (sitemap) => (sitemap.endsWith('/s.xml') ? { ...known, location: sitemap } : undefined),
    });
    const errors = got.codes.filter((code) => code.startsWith('error'));
    assert.deepEqual([errors, got.complete], [['error BODY_CHANGED'], false], what);
    assert.ok(got.locs[1]?.startsWith('https://shop.example/old/0/'), what);
  }
});

test('the wait for a turn at the host does not count against the timeout of a sitemap', async () => {
  const pages = Array.from({ length: 6 }, (_, n) => `/${n}.xml`);
  await using server = await serve({
    '/index.xml': sitemapindex(...pages),
    ...Object.fromEntries(pages.map((page) => [page, urlset(A)])),
  });
  const got = await collect([`${server.origin}/index.xml`], {
    hostDelayMs: 150,
    concurrency: 6,
    timeouts: { totalMs: 400 },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  assert.deepEqual([got.codes, got.complete, got.locs.length], [[], true, 6]);
});

test('every phase that takes too long is TIMEOUT', async () => {
  await using server = await serve({
    '/never': () => {},
    '/stops': (_, response) => void response.writeHead(200).write(urlset(A).slice(0, 90)),
    '/drips': (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  });
  const timeouts = { headersMs: 200, idleMs: 200 };
  for (const path of ['never', 'stops', 'drips']) {
    const got = await collect([`${server.origin}/${path}`], { timeouts });
    assert.deepEqual(got.codes, ['error TIMEOUT'], path);
  }
  const whole = await collect([`${server.origin}/drips`], { timeouts: { totalMs: 100 } });
  assert.deepEqual(whole.codes, ['error TIMEOUT']);
});

/** Keeps what verdicts say should be kept, as a ledger would. */
async function crawlKept(source: string, kept: Map<string, KnownSitemap>) {
  const got = await collect([source], { known: async (sitemap) => kept.get(sitemap) });
  for (const { verdict, sitemap, ...known } of got.verdicts) {
    if (verdict === 'complete') kept.set(sitemap, known as KnownSitemap);
  }
  return got;
}

test('an unchanged sitemap is not sent again, and an unchanged index still leads to its children', async () => {
  const etags = new Map([
    ['/index.xml', '"1"'],
    ['/a.xml', '"1"'],
  ]);
  const guarded =
    (body: string): Route =>
    (request, response) => {
      const etag = etags.get(request.url!)!;
      if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else response.writeHead(200, { etag }).end(`${body}<!-- ${etag} -->`);
    };
  await using server = await serve({ '/index.xml': guarded(sitemapindex('/a.xml')), '/a.xml': guarded(urlset(A)) });
  const kept = new Map<string, KnownSitemap>();
  assert.deepEqual((await crawlKept(`${server.origin}/index.xml`, kept)).locs, [A]);
  const second = await crawlKept(`${server.origin}/index.xml`, kept);
  assert.deepEqual([second.locs, second.complete], [[], true]);
  assert.deepEqual(
    second.verdicts.map(({ verdict }) => verdict),
    ['not-modified', 'not-modified'],
  );
  etags.set('/a.xml', '"2"');
  assert.deepEqual((await crawlKept(`${server.origin}/index.xml`, kept)).locs, [A]);
});

test('without validators the same bytes are not-modified', async () => {
  let body = urlset(A);
  await using server = await serve({ '/s': (_, response) => response.end(body) });
  const kept = new Map<string, KnownSitemap>();
  await crawlKept(`${server.origin}/s`, kept);
  assert.equal((await crawlKept(`${server.origin}/s`, kept)).verdicts[0]?.verdict, 'not-modified');
  body = urlset(A, B);
  assert.deepEqual((await crawlKept(`${server.origin}/s`, kept)).locs, [A, B]);
});

test('nothing is kept of an incomplete fetch', async () => {
  await using server = await serve({
    '/s': (_, response) => response.writeHead(200, { etag: '"1"' }).end(urlset(A).slice(0, -12)),
  });
  const kept = new Map<string, KnownSitemap>();
  await crawlKept(`${server.origin}/s`, kept);
  await crawlKept(`${server.origin}/s`, kept);
  assert.equal(kept.size, 0);
  assert.deepEqual(
    server.headers.map((headers) => headers['if-none-match']),
    [undefined, undefined],
  );
});

test('a fingerprint of another reader version is read again', async () => {
  await using server = await serve({ '/s': urlset(A) });
  const known: KnownSitemap = {
    kind: 'urlset',
    urls: 1,
    fingerprint: 'r0:00',
    bytes: 1,
    tookMs: 1,
    etag: '"1"',
    location: `${server.origin}/s`,
  };
  const got = await collect([`${server.origin}/s`], { known: async () => known });
  assert.deepEqual(got.locs, [A]);
  assert.equal(server.headers[0]?.['if-none-match'], undefined);
});

test('a crawl resumes at the child where a killed worker stopped', async () => {
  await using server = await serve({
    '/index.xml': sitemapindex('/1.xml', '/2.xml', '/3.xml'),
    '/1.xml': urlset(`${A}1`),
    '/2.xml': urlset(`${A}2`),
    '/3.xml': urlset(`${A}3`),
  });
  const finished = new Map<string, Pick<KnownSitemap, 'kind' | 'children'>>();
  for await (const event of crawl([`${server.origin}/index.xml`], { allowPrivateHosts: true, concurrency: 1 })) {
    if (event.type === 'verdict' && event.verdict === 'complete') finished.set(event.sitemap, event);
    if (finished.size === 2) break;
  }
  server.requests.length = 0;
  const got = await collect([`${server.origin}/index.xml`], { done: async (sitemap) => finished.get(sitemap) });
  assert.deepEqual(got.locs, [`${A}2`, `${A}3`]);
  assert.deepEqual(server.requests, ['GET /2.xml', 'GET /3.xml']);
});

test('loopback is refused before a connection is made, in every spelling and behind redirects', async () => {
  await using server = await serve((origin) => ({
    '/s': urlset(A),
    '/r': redirect(`${origin.replace('127.0.0.1', 'localhost')}/s`),
  }));
  const port = new URL(server.origin).port;
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    'localhost',
    'LOCALHOST.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'a.localhost',
  ]) {
    const got = await collect([`http://${host}:${port}/s`], { allowPrivateHosts: false });
    assert.deepEqual(got.codes, ['error PRIVATE_HOST'], host);
  }
  assert.deepEqual(server.requests, []);
  const listed = await collect([`${server.origin}/r`], { allowPrivateHosts: ['127.0.0.0/8'], anyHost: true });
  assert.deepEqual(listed.codes, []);
  const named = await collect([`${server.origin}/r`], { allowPrivateHosts: ['127.0.0.1'], hosts: ['localhost'] });
  assert.deepEqual(named.codes, []);
});

test('sitemaps on other hosts are read only when they are allowed', async () => {
  await using server = await serve((origin) => ({
    '/index.xml': sitemapindex(`${origin.replace('127.0.0.1', 'localhost')}/a.xml`),
    '/a.xml': urlset(A),
  }));
  const source = `${server.origin}/index.xml`;
  assert.deepEqual((await collect([source])).codes, ['error OFF_HOST']);
  assert.deepEqual((await collect([source], { anyHost: true })).locs, [A]);
  assert.deepEqual((await collect([source], { hosts: ['localhost'] })).locs, [A]);
});

test('children that are not http addresses make the crawl incomplete', async () => {
  await using server = await serve({
    '/index.xml': sitemapindex(
      'file:///etc/passwd',
      'ftp://shop.example/s.xml',
      'http://a:secret@shop.example/',
      '/a.xml',
    ),
    '/a.xml': urlset(A),
  });
  const got = await collect([`${server.origin}/index.xml`]);
  assert.deepEqual([got.locs, got.codes, got.complete], [[A], ['error BAD_URL', 'error BAD_URL'], false]);
  assert.doesNotMatch(JSON.stringify(got.events), /secret/);
});

test('configured headers go only to the hosts of the sources', async () => {
  await using other = await serve({ '/b.xml': urlset(B) });
  await using server = await serve({
    '/index.xml': sitemapindex('/a.xml', `${other.origin}/b.xml`),
    '/a.xml': urlset(A),
  });
  const options = { headers: { authorization: 'Basic c2VjcmV0' }, contact: 'ops@shop.example' };
  await collect([`${server.origin}/index.xml`], options);
  assert.deepEqual(
    server.headers.map(({ authorization }) => authorization),
    ['Basic c2VjcmV0', 'Basic c2VjcmV0'],
  );
  assert.deepEqual(
    other.headers.map(({ authorization }) => authorization),
    [undefined],
  );
  assert.equal(other.headers[0]?.['user-agent'], 'sitemap-courier (+ops@shop.example)');
});

test('a source with credentials is refused and never printed', async () => {
  const got = await collect(['https://user:secret@shop.example/sitemap.xml', 'ftp://shop.example/']);
  assert.deepEqual(got.codes, ['error BAD_URL', 'error BAD_URL']);
  assert.doesNotMatch(JSON.stringify(got.events), /secret/);
});

test('per-host concurrency and delay are respected', async () => {
  const pages = Array.from({ length: 6 }, (_, n) => `/${n}.xml`);
  let active = 0;
  let most = 0;
  const slow: Route = (_, response) => {
    active += 1;
    most = Math.max(most, active);
    setTimeout(() => {
      active -= 1;
      response.end(urlset(A));
    }, 10);
  };
  await using server = await serve({
    '/index.xml': sitemapindex(...pages),
    ...Object.fromEntries(pages.map((page) => [page, slow])),
  });
  await collect([`${server.origin}/index.xml`], { concurrency: 6, hostConcurrency: 2 });
  assert.equal(most, 2);
  const waits: number[] = [];
  await collect([`${server.origin}/index.xml`], {
    hostDelayMs: 1_000,
    now: () => 5_000,
    sleep: async (ms) => void waits.push(ms),
  });
  assert.deepEqual(waits, [1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
});

test('aborting ends every request and throws the reason; leaving the loop ends them too', {
  timeout: 5_000,
}, async () => {
  const never: Route = () => {};
  await using server = await serve({
    '/index.xml': sitemapindex('/1', '/2', '/3'),
    '/1': never,
    '/2': never,
    '/3': never,
  });
  const stop = new AbortController();
  const events: CrawlEvent[] = [];
  await assert.rejects(async () => {
    for await (const event of crawl([`${server.origin}/index.xml`], { allowPrivateHosts: true, signal: stop.signal })) {
      events.push(event);
      if (events.filter(({ type }) => type === 'sitemap').length === 4) stop.abort(new Error('enough'));
    }
  }, /enough/);
  for await (const event of crawl([`${server.origin}/index.xml`], { allowPrivateHosts: true }))
    if (event.type === 'verdict') break;
});

test('a slow consumer does not make a sitemap time out', async () => {
  await using server = await serve({
    '/s': urlset(...Array.from({ length: 20_000 }, (_, n) => `${A}${n}/${'x'.repeat(200)}`)),
  });
  const errors: string[] = [];
  let given = 0;
  const timeouts = { totalMs: 1_000, idleMs: 300 };
  for await (const event of crawl([`${server.origin}/s`], { allowPrivateHosts: true, timeouts })) {
    if (event.type === 'problem') errors.push(event.message);
    if (event.type !== 'entries') continue;
    given += event.entries.length;
    if (given > 5_000 && given <= 7_500) await new Promise((resolve) => setTimeout(resolve, 400));
  }
  assert.deepEqual([given, errors], [20_000, []]);
});

test('pages as lines are those of the entries, each event with as many as it says', async () => {
  const pages = Array.from({ length: 3_000 }, (_, n) => `${A}${n}${n % 7 === 0 ? '/çay?a=1&amp;b=2' : ''}`);
  await using server = await serve({
    '/index.xml': sitemapindex('/a.xml', '/b.xml'),
    '/a.xml': urlset(...pages),
    '/b.xml': urlset('/relative', `${A}b`, 'mailto:x'),
  });
  const source = [`${server.origin}/index.xml`];
  const whole = await collect(source);
  const lines: string[] = [];
  for await (const event of crawl(source, { allowPrivateHosts: true, lines: true })) {
    assert.notEqual(event.type, 'entries');
    if (event.type !== 'lines') continue;
    const text = event.bytes.toString('latin1');
    assert.equal(text.split('\n').length - 1, event.pages);
    lines.push(text);
    event.release();
  }
  const urls = whole.entries.flatMap(({ url }) => (url === null ? [] : [url]));
  assert.deepEqual(lines.join('').trim().split('\n').sort(), urls.sort());
});

test('a slow consumer slows the crawl down', async () => {
  const big = Buffer.from(urlset(...Array.from({ length: 50_000 }, (_, n) => `${A}${n}`)));
  await using server = await serve({ '/s': big });
  let given = 0;
  for await (const event of crawl([`${server.origin}/s`], { allowPrivateHosts: true })) {
    if (event.type !== 'entries') continue;
    given += event.entries.length;
    if (given < 3_000) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(event.entries.length <= 5_000, String(event.entries.length));
  }
  assert.equal(given, 50_000);
});

test('equal problems are reported once with a count', async () => {
  const bad = urlset(...Array.from({ length: 20_000 }, () => 'mailto:x'), A);
  await using server = await serve({ '/s': bad });
  const got = await collect([`${server.origin}/s`]);
  assert.deepEqual(
    got.problems.map(({ code, count }) => [code, count]),
    [['BAD_URL', 20_000]],
  );
});

test('standard input and files are sources too', async () => {
  async function* stdin() {
    yield Buffer.from(urlset(A).slice(0, 50));
    yield urlset(A).slice(50);
  }
  const got = await collect(['-', '/no/such/file.xml'], { stdin: stdin() });
  assert.deepEqual([got.locs, got.codes], [[A], ['error NETWORK']]);
});
