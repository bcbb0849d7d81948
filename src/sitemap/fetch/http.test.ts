import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collect, urlset } from '../../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../../test/support/sitemap/server.ts';
import type { KnownSitemap } from '../crawl.ts';

const A = 'https://shop.example/a';

describe('http', () => {
  test('raw UTF-8 in a Location is requested as browsers request it', async () => {
    await using server = await serve({
      '/old.xml': (_, response) => {
        response.socket?.end(Buffer.from('HTTP/1.1 301 Moved\r\nLocation: /ürün.xml\r\nContent-Length: 0\r\n\r\n'));
      },
      '/%C3%BCr%C3%BCn.xml': urlset(A),
    });
    assert.deepEqual((await collect([`${server.origin}/old.xml`])).locs, [A]);
  });

  test('a site that sets a cookie and redirects to the same address is read; no other origin gets the cookie', async () => {
    await using other = await serve({ '/s.xml': urlset(A) });
    const guarded: Route = (request, response) => {
      const count = (request.headers.cookie ?? '').split(';').filter((part) => part.includes('step')).length;
      if (count === 2) response.writeHead(302, { location: `${other.origin}/s.xml` }).end();
      else
        response.writeHead(302, { location: '/s.xml', 'set-cookie': `step${count}=${count}; Path=/; HttpOnly` }).end();
    };
    await using server = await serve({ '/s.xml': guarded });
    const got = await collect([`${server.origin}/s.xml`], { headers: { cookie: 'own=1' } });
    assert.deepEqual([got.locs, got.codes], [[A], []]);
    assert.deepEqual(
      server.headers.map(({ cookie }) => cookie),
      ['own=1', 'own=1; step0=0', 'own=1; step0=0; step1=1'],
    );
    assert.equal(other.headers[0]?.cookie, undefined);
  });

  test('a site that sets a new cookie for every answer ends as TOO_MANY_REDIRECTS', async () => {
    let answers = 0;
    await using server = await serve({
      '/s.xml': (_, response) => {
        answers += 1;
        response.writeHead(302, { location: '/s.xml', 'set-cookie': `c=${answers}` }).end();
      },
    });
    assert.deepEqual((await collect([`${server.origin}/s.xml`])).codes, ['error TOO_MANY_REDIRECTS']);
  });

  test('203 has a body, and the errors of Cloudflare are retried', async () => {
    let calls = 0;
    await using server = await serve({
      '/203.xml': (_, response) => response.writeHead(203).end(urlset(A)),
      '/520.xml': (_, response) => {
        calls += 1;
        response.writeHead(calls < 3 ? 522 : 200).end(urlset(A));
      },
    });
    const got = await collect([`${server.origin}/203.xml`, `${server.origin}/520.xml`]);
    assert.deepEqual([got.locs, got.complete], [[A, A], true]);
  });

  test('an https address of a server without TLS is tried once and says so', async () => {
    await using server = await serve({});
    const waits: number[] = [];
    const got = await collect([server.origin.replace('http:', 'https:')], { sleep: async (ms) => void waits.push(ms) });
    assert.deepEqual([got.codes, waits], [['error NETWORK'], []]);
    assert.match(got.problems[0]?.message ?? '', /does not speak TLS/);
  });

  test('a status names the address that answered and how often it was asked', async () => {
    await using server = await serve({
      '/old.xml': (_, response) => response.writeHead(301, { location: '/new.xml' }).end(),
      '/busy.xml': (_, response) => response.writeHead(503).end(),
    });
    const got = await collect([`${server.origin}/old.xml`, `${server.origin}/busy.xml`], { concurrency: 1 });
    assert.match(got.problems[0]?.message ?? '', /^HTTP 404 from http:\/\/127\.0\.0\.1:\d+\/new\.xml/);
    assert.equal(got.problems[1]?.message, 'HTTP 503 (3 attempts)');
  });

  test('a 304 that answers no question of ours is an error', async () => {
    const known: KnownSitemap = { kind: 'urlset', urls: 1, fingerprint: 'r2:00', bytes: 1, tookMs: 1 };
    const answers: Record<string, Route> = {
      '/s.xml': (_, response) => response.writeHead(304).end(),
      '/moved.xml': (_, response) => response.writeHead(302, { location: '/s.xml' }).end(),
    };
    await using server = await serve(answers);
    const cases: readonly (readonly [string, Partial<KnownSitemap>, Record<string, string>])[] = [
      ['/s.xml', { location: `${server.origin}/s.xml` }, {}],
      ['/moved.xml', { location: `${server.origin}/moved.xml`, etag: '"1"' }, {}],
      ['/s.xml', { location: `${server.origin}/s.xml` }, { 'if-none-match': '"its own"' }],
    ];
    for (const [path, more, headers] of cases) {
      const got = await collect([`${server.origin}${path}`], { headers, known: async () => ({ ...known, ...more }) });
      assert.deepEqual([got.codes, got.complete], [['error HTTP_STATUS'], false], path);
      assert.match(got.problems[0]?.message ?? '', /^HTTP 304.*a question that was not asked/);
    }
  });

  test('our question goes before a configured one, so its 304 is about what we know', async () => {
    await using server = await serve({ '/s.xml': (_, response) => response.writeHead(304).end() });
    const known: KnownSitemap = { kind: 'urlset', urls: 1, fingerprint: 'r2:00', bytes: 1, tookMs: 1, etag: '"1"' };
    const location = `${server.origin}/s.xml`;
    const headers = { 'if-none-match': '"its own"' };
    const got = await collect([location], { headers, known: async () => ({ ...known, location }) });
    assert.deepEqual([got.codes, got.verdicts[0]?.verdict], [[], 'not-modified']);
    assert.equal(server.headers[0]?.['if-none-match'], '"1"');
  });

  test('port 0 is no address', async () => {
    await using server = await serve({
      '/s.xml': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:0/s.xml' }).end(),
    });
    for (const source of [`${server.origin}/s.xml`, 'http://127.0.0.1:0/s.xml']) {
      const got = await collect([source]);
      assert.deepEqual(got.codes, ['error BAD_URL'], source);
    }
  });

  test('the wait that a server asks for is in the problem', async () => {
    await using server = await serve({
      '/s.xml': (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(),
    });
    const [problem] = (await collect([`${server.origin}/s.xml`])).problems;
    assert.deepEqual(
      [problem?.retryAfterMs, problem?.message],
      [3_600_000, 'HTTP 429; the server asks to wait 60 min, and a crawl waits at most 30 s'],
    );
  });
});
