import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canonicalUrl } from './canonical-url.ts';

describe('the form of a URL for comparisons', () => {
  for (const [one, other] of [
    ['https://shop.example/a', 'https://shop.example/a/'],
    ['https://shop.example/a', 'https://shop.example/a//'],
    ['https://shop.example/caf%C3%A9', 'https://shop.example/café'],
    ['https://shop.example/a', ' https://shop.example/a\n'],
    ['https://Shop.example/a', 'https://shop.example/a'],
  ] as const) {
    test(`is the same for ${JSON.stringify(one)} and ${JSON.stringify(other)}`, () =>
      assert.equal(canonicalUrl(one), canonicalUrl(other)));
  }

  for (const [one, other] of [
    ['https://shop.example/Shoes', 'https://shop.example/shoes'],
    ['https://shop.example/?q=A', 'https://shop.example/?q=a'],
    ['https://shop.example/a', 'https://shop.example/a/b'],
    ['https://shop.example/a', 'http://shop.example/a'],
    ['https://shop.example/a?b/', 'https://shop.example/a?b'],
  ] as const) {
    test(`keeps ${one} and ${other} apart`, () => assert.notEqual(canonicalUrl(one), canonicalUrl(other)));
  }

  test('is the text itself when that is no URL, or has escapes that no text has', () => {
    assert.equal(canonicalUrl('shoes'), 'shoes');
    assert.equal(canonicalUrl('https://shop.example/%ff'), 'https://shop.example/%ff');
  });
});
