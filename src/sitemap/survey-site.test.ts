import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sitemapindex, urlset } from '../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../test/support/sitemap/server.ts';
import { SitemapError } from './problems.ts';
import { surveySite } from './survey-site.ts';

const options = { allowPrivateHosts: true, retries: 0 };

const makeSeen = () => {
  const seen = new Set<string>();
  return { add: (url: string) => seen.size < seen.add(url).size };
};

async function site(t: TestContext, routes: (origin: string) => Record<string, Route>) {
  const server = await serve(routes);
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

describe('surveySite', () => {
  test('counts the pages of the sitemaps that robots.txt names, by host and with lastmod', async (t) => {
    const server = await site(t, (origin) => ({
      '/robots.txt': `User-agent: *\nSitemap: ${origin}/all.xml\n`,
      '/all.xml': sitemapindex('/a.xml', '/b.xml'),
      '/a.xml': urlset('https://shop.example/1', 'https://shop.example/2', 'https://cdn.example/3'),
      '/b.xml':
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://shop.example/4</loc><lastmod>2026-01-01</lastmod></url></urlset>',
    }));
    const survey = await surveySite(server.origin, options, makeSeen);
    assert.deepEqual(survey.source, { kind: 'robots', url: `${server.origin}/robots.txt` });
    assert.deepEqual([survey.urls, survey.withLastmod, survey.complete], [4, 1, true]);
    assert.deepEqual(
      [...survey.hosts],
      [
        ['shop.example', 3],
        ['cdn.example', 1],
      ],
    );
  });

  test('without a sitemap in robots.txt, takes the first usual place that is one', async (t) => {
    const server = await site(t, () => ({
      '/robots.txt': 'User-agent: *\nDisallow: /admin\n',
      '/sitemap.xml': '<html><body>Not found</body></html>',
      '/wp-sitemap.xml': urlset('https://blog.example/1'),
    }));
    const survey = await surveySite(`${server.origin}/`, options, makeSeen);
    assert.deepEqual(survey.source, { kind: 'sitemap', url: `${server.origin}/wp-sitemap.xml` });
    assert.deepEqual([survey.urls, survey.problems], [1, []]);
  });

  test('reads an address with a path as the sitemap, and counts what a broken child leaves', async (t) => {
    const server = await site(t, () => ({
      '/shop/map.xml': sitemapindex('/a.xml', '/gone.xml'),
      '/a.xml': urlset('https://shop.example/1'),
    }));
    const survey = await surveySite(`${server.origin}/shop/map.xml`, options, makeSeen);
    assert.deepEqual([survey.urls, survey.complete], [1, false]);
    assert.match(survey.problems[0]?.message ?? '', /404/);
    assert.ok(!server.requests.includes('GET /robots.txt'));
  });

  test('counts a page once, and names the host that answered', async (t) => {
    const server = await site(t, (origin) => ({
      '/robots.txt': (_, response) =>
        response.writeHead(301, { location: `${origin.replace('127.0.0.1', 'localhost')}/robots-2.txt` }).end(),
      '/robots-2.txt': `User-agent: *\nSitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml\n`,
      '/a.xml': urlset('https://shop.example/1', 'https://shop.example/2', 'https://shop.example/2'),
      '/b.xml': urlset('https://shop.example/1'),
    }));
    const survey = await surveySite(server.origin, { ...options, hosts: ['localhost'] }, makeSeen);
    assert.deepEqual([survey.urls, [...survey.hosts]], [2, [['shop.example', 2]]]);
    assert.equal(survey.answeredBy, new URL(server.origin).host.replace('127.0.0.1', 'localhost'));
  });

  test('says what was tried when there is no sitemap', async (t) => {
    const server = await site(t, () => ({}));
    const survey = await surveySite(server.origin, options, makeSeen);
    assert.equal(survey.source, null);
    assert.ok(survey.problems.length > 5);
    assert.ok(survey.problems.some(({ url }) => url.endsWith('/sitemap.xml')));
  });

  test('refuses what is no address of a site', async () => {
    for (const wrong of ['file:///etc/passwd', 'https://user:pass@shop.example', 'ftp://shop.example', '']) {
      await assert.rejects(surveySite(wrong, options, makeSeen), SitemapError, wrong);
    }
  });
});
