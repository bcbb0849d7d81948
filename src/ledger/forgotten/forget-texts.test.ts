import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Url } from '../../url/normalize-url.ts';
import { compileSelection, type ForgetSelection } from './forget-selection.ts';
import { removeAddresses } from './forget-texts.ts';

const URLS: ForgetSelection = {
  kind: 'urls',
  urls: new Set([
    'https://shop.example/%C3%BCr%C3%BCn/',
    'https://shop.example/a?b=(1)',
    'https://shop.example/c',
  ] as Url[]),
};

const CASES: readonly (readonly [string, ForgetSelection, string, string])[] = [
  ['an address at the end of a sentence', URLS, 'See https://shop.example/c.', 'See (forgotten).'],
  [
    'one in JSON',
    URLS,
    '["https://shop.example/c","https://shop.example/d"]',
    '["(forgotten)","https://shop.example/d"]',
  ],
  ['one that ends with a bracket', URLS, '<https://shop.example/a?b=(1)>', '<(forgotten)>'],
  ['one that the service spells otherwise', URLS, 'https://shop.example/ürün: 404', '(forgotten): 404'],
  ['a longer one is another page', URLS, 'https://shop.example/cc', 'https://shop.example/cc'],
  ['every page of a host', { kind: 'host', host: '*.example' }, 'HTTPS://Shop.example/x y', '(forgotten) y'],
  [
    'not a host that only ends alike',
    { kind: 'host', host: 'shop.example' },
    'https://xshop.example/',
    'https://xshop.example/',
  ],
];

describe('addresses in texts', () => {
  for (const [label, selection, text, expected] of CASES) {
    test(label, () => assert.equal(removeAddresses(text, compileSelection(selection)), expected));
  }
});
