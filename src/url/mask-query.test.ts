import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maskQuery } from './mask-query.ts';

describe('maskQuery', () => {
  for (const [text, shown] of [
    ['https://a.example/s.xml?token=abc', 'https://a.example/s.xml?token=[secret]'],
    [
      'https://a.example/s.xml?page=2&access_token=abc&from=3',
      'https://a.example/s.xml?page=2&access_token=[secret]&from=3',
    ],
    [
      'https://a.example/s.xml?X-Amz-Signature=ab%2F: HTTP 404',
      'https://a.example/s.xml?X-Amz-Signature=[secret]: HTTP 404',
    ],
    [
      'it redirects to "https://a.example/?apiKey=abc", which fails',
      'it redirects to "https://a.example/?apiKey=[secret]", which fails',
    ],
    ['(https://a.example/?sig=abc)', '(https://a.example/?sig=[secret])'],
  ] as const) {
    test(`masks ${text}`, () => assert.equal(maskQuery(text), shown));
  }

  const names = 'token client_secret apikey sig x-signature password passwd pwd auth credential';
  for (const name of names.split(' ')) {
    test(`masks the value of ${name}`, () => {
      assert.equal(maskQuery(`https://a.example/?a=1&${name}=abc#f`), `https://a.example/?a=1&${name}=[secret]#f`);
    });
  }

  for (const text of [
    'https://a.example/sitemap_products_1.xml?from=1&to=99: HTTP 404',
    'https://a.example/token=abc/s.xml',
    'a key is missing: token=abc',
  ]) {
    test(`leaves ${text}`, () => assert.equal(maskQuery(text), text));
  }
});
