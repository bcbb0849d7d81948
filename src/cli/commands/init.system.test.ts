import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { courier, ofType, printCourier } from '../../../test/support/cli.ts';
import { sitemapindex, urlset } from '../../../test/support/sitemap/collect.ts';
import { type Route, serve } from '../../../test/support/sitemap/server.ts';

const SERVICE = ['--base-url', 'https://indexing.example/api/v1', '--allow-private-hosts'];

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-init-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function publishSite(t: TestContext, routes: (origin: string) => Record<string, Route>): Promise<string> {
  const server = await serve(routes);
  t.after(() => server[Symbol.asyncDispose]());
  return server.origin;
}

const shop = (origin: string) => ({
  '/robots.txt': `Sitemap: ${origin}/sitemap.xml\n`,
  '/sitemap.xml': urlset(`${origin}/1`, `${origin}/2`, 'https://cdn.example/3'),
});

describe('courier init', () => {
  test('writes a configuration that validate accepts and plan runs', async (t) => {
    const folder = emptyFolder(t);
    const origin = await publishSite(t, shop);
    const made = await courier(folder, 'init', origin, ...SERVICE, '--price', '0.25', '--key-file', 'courier.key');
    assert.deepEqual([made.code, made.records.at(-1)?.watches], [0, 1], made.stderr);
    const [site] = ofType(made, 'site');
    assert.deepEqual([site?.watch, site?.urls, site?.hosts_proposed], ['site', 3, [new URL(origin).host]]);
    writeFileSync(join(folder, 'courier.key'), 'usk_none');
    assert.equal((await courier(folder, 'validate')).code, 0);
    const planned = await courier(folder, 'plan');
    assert.equal(ofType(planned, 'plan')[0]?.watch, 'site', planned.stderr);
    const text = readFileSync(join(folder, 'courier.yaml'), 'utf8');
    assert.match(text, /^# yaml-language-server: \$schema=.*courier\.schema\.json\n/);
    assert.match(text, /not bought: cdn\.example \(1 URL\)/);
  });

  test('never overwrites', async (t) => {
    const folder = emptyFolder(t);
    const origin = await publishSite(t, shop);
    writeFileSync(join(folder, 'courier.yaml'), 'mine');
    const refused = await courier(folder, 'init', origin, ...SERVICE);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /courier\.yaml exists and is not overwritten/);
    assert.equal(readFileSync(join(folder, 'courier.yaml'), 'utf8'), 'mine');
  });

  test('writes what was found and says what was not', async (t) => {
    const folder = emptyFolder(t);
    const good = await publishSite(t, shop);
    const half = await publishSite(t, () => ({
      '/map.xml': sitemapindex('/a.xml', '/gone.xml'),
      '/a.xml': urlset('https://a.example/1'),
    }));
    const bare = await publishSite(t, () => ({}));
    const sites = [good, `${half}/map.xml`, bare];
    const made = await courier(folder, 'init', ...sites, ...SERVICE, '--key-file', 'courier.key');
    assert.deepEqual([made.code, made.records.at(-1)?.watches, made.records.at(-1)?.sites_without_sitemap], [3, 2, 1]);
    assert.match(made.stderr, /no sitemap was found\. Tried:\n {2}http:\/\/127\.0\.0\.1:\d+\/robots\.txt: /);
    assert.match(made.stderr, /gone\.xml: .*404/);
    assert.deepEqual(
      ofType(made, 'site').map(({ watch }) => watch),
      ['site', 'site-2', null],
    );
    writeFileSync(join(folder, 'courier.key'), 'usk_none');
    assert.equal((await courier(folder, 'validate')).code, 0);
  });

  test('writes nothing when no site has a sitemap', async (t) => {
    const folder = emptyFolder(t);
    const bare = await publishSite(t, () => ({}));
    const made = await courier(folder, 'init', bare, ...SERVICE);
    assert.deepEqual([made.code, made.records.at(-1)?.file], [3, null]);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('refuses mistakes before it reads anything, and never repeats a key', async (t) => {
    const folder = emptyFolder(t);
    const mistakes: [string[], RegExp][] = [
      [['shop.example'], /Name the service with --base-url/],
      [['shop.example', ...SERVICE, '--key-env', 'usk_secret'], /takes the name of a variable/],
      [['shop.example', ...SERVICE, '--key-env', 'A', '--key-file', 'b'], /not with both/],
      [['shop.example', '--base-url', 'indexing.example'], /Write an address/],
      [['shop.example', ...SERVICE, '--price', '0'], /Write an amount/],
      [['shop.example', ...SERVICE, '--timezone', 'Mars'], /IANA time zone/],
      [['ftp://shop.example', ...SERVICE], /not an http, https or file address.*Nothing was written/],
    ];
    for (const [args, message] of mistakes) {
      const refused = await courier(folder, 'init', ...args);
      assert.equal(refused.code, 2, args.join(' '));
      assert.match(refused.stderr, message);
      assert.doesNotMatch(refused.stderr + JSON.stringify(refused.records), /usk_secret/);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  test('says once why an address is refused, whatever number of addresses it tries', async (t) => {
    const folder = emptyFolder(t);
    const refused = await courier(folder, 'init', '127.0.0.1:9', ...SERVICE.slice(0, 2));
    assert.equal(refused.code, 3, refused.stderr);
    const tried = refused.stderr.match(/127\.0\.0\.1:9\//g) ?? [];
    assert.ok(tried.length > 5, refused.stderr);
    assert.equal(refused.stderr.match(/is not a public address/g)?.length, 1, refused.stderr);
  });

  test('says what it found and what to do next', async (t) => {
    const folder = emptyFolder(t);
    const origin = await publishSite(t, shop);
    const printed = await printCourier(folder, 'init', origin, ...SERVICE);
    assert.match(
      printed,
      /3 pages in .*robots\.txt, 0 with a lastmod; watch "site" covers those of .*; 1 page of other hosts is not bought\./,
    );
    assert.match(printed, /courier\.yaml is written: 1 watch\. The first run buys nothing\.\nNext: /);
  });
});
