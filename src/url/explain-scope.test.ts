import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explainScope } from './explain-scope.ts';
import type { Url } from './normalize-url.ts';
import { listSpellings } from './spellings.ts';

const SCOPE = {
  hosts: ['shop.example'],
  include: ['/products/**', '/blog/**'],
  exclude: ['/products/draft/**', '/**/print'],
};

describe('explainScope names the rule that decides', () => {
  for (const [url, inScope, rule] of [
    ['https://shop.example/products/1', true, 'host shop.example, include /products/**'],
    ['https://shop.example/products/draft/1', false, 'exclude /products/draft/**'],
    ['https://shop.example/blog/a/print', false, 'exclude /**/print'],
    ['https://shop.example/about', false, 'no include matches: /products/**, /blog/**'],
    ['ftp://shop.example/products/1', false, 'only http and https'],
    ['https://cdn.example/products/1', false, 'host cdn.example is not one of: shop.example'],
  ] as const) {
    test(url, () => assert.deepEqual(explainScope(SCOPE, url as Url), { inScope, rule }));
  }

  test('any host, every path', () =>
    assert.deepEqual(explainScope({ hosts: null, include: [], exclude: [] }, 'https://a.example/' as Url), {
      inScope: true,
      rule: 'host a.example',
    }));
});

describe('listSpellings', () => {
  test('has the one with a slash first, then www., the other scheme and combinations of them', () => {
    const spellings = listSpellings('https://shop.example/A?x=1' as Url);
    assert.equal(spellings[0], 'https://shop.example/A/?x=1');
    for (const expected of [
      'http://shop.example/A?x=1',
      'https://www.shop.example/A?x=1',
      'https://shop.example/A',
      'https://shop.example/a?x=1',
      'http://www.shop.example/a/',
    ])
      assert.ok(spellings.includes(expected as Url), expected);
    assert.ok(!spellings.includes('https://shop.example/A?x=1' as Url), 'not the URL itself');
  });

  test('keeps the slash of a host alone', () => {
    assert.ok(listSpellings('https://shop.example/' as Url).every((url) => new URL(url).pathname === '/'));
  });
});
