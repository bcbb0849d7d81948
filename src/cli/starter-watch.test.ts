import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SiteSurvey } from '../sitemap/survey-site.ts';
import { toStarterWatch } from './starter-watch.ts';

const survey = (host: string, hosts: Record<string, number>): SiteSurvey => ({
  site: host,
  source: { kind: 'robots', url: `https://${host}/robots.txt` },
  answeredBy: host,
  urls: 10,
  withLastmod: 0,
  hosts: new Map(Object.entries(hosts)),
  complete: true,
  problems: [],
});
const options = { taken: new Set<string>(), allowPrivateHosts: false };

describe('toStarterWatch', () => {
  test('takes the hosts of the site with and without www, and lists the others', () => {
    const hosts = { 'www.shop.example': 5, 'cdn.example': 3, 'shop.example': 1, 'blog.shop.example': 1 };
    const watch = toStarterWatch(survey('shop.example', hosts), options);
    assert.deepEqual(watch?.hosts, ['www.shop.example', 'shop.example']);
    assert.deepEqual(
      [...(watch?.otherHosts ?? [])],
      [
        ['cdn.example', 3],
        ['blog.shop.example', 1],
      ],
    );
  });

  test('takes the most frequent host where the sitemaps name none of the site', () => {
    const watch = toStarterWatch(survey('shop.example', { 'shop.example.net': 9, 'cdn.example': 1 }), options);
    assert.deepEqual(watch?.hosts, ['shop.example.net']);
  });

  test('takes the host that was named and the one that answered where no page could be read', () => {
    const redirected = { ...survey('shop.example', {}), answeredBy: 'www.shop.example' };
    assert.deepEqual(toStarterWatch(redirected, options)?.hosts, ['shop.example', 'www.shop.example']);
    assert.deepEqual(toStarterWatch(survey('shop.example', {}), options)?.hosts, ['shop.example']);
  });

  test('names a watch after its host, once', () => {
    const name = (host: string, taken: string[] = []) =>
      toStarterWatch(survey(host, {}), { ...options, taken: new Set(taken) })?.id;
    assert.deepEqual(
      [name('www.shop.example'), name('shop.example.com'), name('127.0.0.1:80'), name('xn--bcher-kva.example')],
      ['shop', 'shop', 'site', 'xn--bcher-kva'],
    );
    assert.equal(name('shop.example', ['shop', 'shop-2']), 'shop-3');
  });

  test('allows a private host only when it was allowed to be read', () => {
    const allowed = toStarterWatch(survey('127.0.0.1:80', {}), { ...options, allowPrivateHosts: true });
    assert.deepEqual(allowed?.privateHosts, ['127.0.0.1']);
    assert.deepEqual(toStarterWatch(survey('127.0.0.1:80', {}), options)?.privateHosts, []);
  });

  test('proposes nothing for a site without a sitemap', () => {
    assert.equal(toStarterWatch({ ...survey('shop.example', {}), source: null }, options), null);
  });
});
