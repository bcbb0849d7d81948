import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { collect, sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../test/support/sitemap/server.ts';
import type { KnownSitemap } from './crawl.ts';

const A = 'https://shop.example/a';
const ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="page"/></entry></feed>';

/** Crawls again and again, keeping what verdicts say should be kept, as a ledger would. */
function makeVisitor(source: string) {
  const kept = new Map<string, KnownSitemap>();
  return async () => {
    const got = await collect([source], { known: async (sitemap) => kept.get(sitemap) });
    for (const { verdict, sitemap, ...known } of got.verdicts) {
      if (verdict === 'complete' || verdict === 'not-modified') kept.set(sitemap, known as KnownSitemap);
    }
    return got;
  };
}

describe('a sitemap with the bytes of its last visit', () => {
  test('an index behind a redirect that moves leads to the children of its new address, though its bytes are the same', async () => {
    let build = 1;
    await using server = await serve({
      '/sitemap.xml': (_, response) => response.writeHead(302, { location: `/build-${build}/sitemap.xml` }).end(),
      '/build-1/sitemap.xml': sitemapindex('posts.xml'),
      '/build-2/sitemap.xml': sitemapindex('posts.xml'),
      '/build-1/posts.xml': urlset(A),
      '/build-2/posts.xml': urlset(A, `${A}2`),
    });
    const visit = makeVisitor(`${server.origin}/sitemap.xml`);
    assert.deepEqual((await visit()).locs, [A]);
    build = 2;
    assert.deepEqual((await visit()).locs, [A, `${A}2`]);
    assert.deepEqual((await visit()).locs, [], 'and then nothing has moved');
  });

  test('a feed behind a redirect that moves has the pages of its new address', async () => {
    let build = 1;
    await using server = await serve({
      '/feed': (_, response) => response.writeHead(302, { location: `/build-${build}/feed` }).end(),
      '/build-1/feed': ATOM,
      '/build-2/feed': ATOM,
    });
    const visit = makeVisitor(`${server.origin}/feed`);
    await visit();
    build = 2;
    assert.deepEqual(
      (await visit()).entries.map(({ url }) => url),
      [`${server.origin}/build-2/page`],
    );
  });

  test('the same bytes under another charset are read again', async () => {
    let charset = 'iso-8859-1';
    const body = Buffer.from('https://shop.example/\xfe\n', 'latin1');
    await using server = await serve({
      '/s.txt': (_, response) =>
        response
          .writeHead(200, { 'content-type': `text/plain; charset=${charset}`, 'content-length': body.length })
          .end(body),
    });
    const visit = makeVisitor(`${server.origin}/s.txt`);
    assert.deepEqual((await visit()).locs, ['https://shop.example/þ']);
    charset = 'ISO-8859-1';
    assert.deepEqual((await visit()).locs, []);
    charset = 'iso-8859-9';
    assert.deepEqual((await visit()).locs, ['https://shop.example/ş']);
  });

  /** Breaks off in the middle at its first answer. */
  function breakingOnce(body: Buffer): Route {
    let calls = 0;
    return (request, response) => {
      calls += 1;
      response.writeHead(200, { 'content-length': body.length });
      if (calls > 1) response.end(body);
      else response.write(body.subarray(0, body.length / 2), () => setTimeout(() => request.socket.destroy(), 20));
    };
  }

  test('a body that broke off is not continued under another address when its links are relative', async () => {
    const pages = Array.from({ length: 5_000 }, (_, n) => n);
    const atom = Buffer.from(
      `<feed xmlns="http://www.w3.org/2005/Atom">${pages.map((n) => `<entry><link href="p${n}"/></entry>`).join('')}</feed>`,
    );
    const absolute = Buffer.from(pages.map((n) => `${A}${n}\n`).join(''));
    for (const [body, code] of [
      [atom, 'error BODY_CHANGED'],
      [absolute, undefined],
    ] as const) {
      let build = 0;
      const answer = breakingOnce(body);
      await using server = await serve({
        '/s': (_, response) => {
          build += 1;
          response.writeHead(302, { location: `/build-${build}/s` }).end();
        },
        '/build-1/s': answer,
        '/build-2/s': answer,
        '/build-3/s': answer,
      });
      const got = await collect([`${server.origin}/s`]);
      assert.deepEqual(
        got.codes.filter((each) => each.startsWith('error')),
        code === undefined ? [] : [code],
      );
      if (code === undefined) assert.equal(got.locs.length, pages.length);
    }
  });

  test('that breaks off gives the pages that came, as one that was never read does', async () => {
    let isBroken = false;
    await using server = await serve({
      '/s.xml': (request, response) => {
        const body = Buffer.from(isBroken ? urlset(A, `${A}2`, `${A}3`) : urlset(A));
        response.writeHead(200, { 'content-length': body.length });
        const sent = body.indexOf(`<url><loc>${A}3`);
        if (isBroken) response.write(body.subarray(0, sent), () => setTimeout(() => request.socket.destroy(), 20));
        else response.end(body);
      },
    });
    const visit = makeVisitor(`${server.origin}/s.xml`);
    assert.deepEqual((await visit()).locs, [A]);
    isBroken = true;
    const { locs, codes } = await visit();
    assert.deepEqual([locs, codes], [[A, `${A}2`], ['error NETWORK']]);
  });
});
