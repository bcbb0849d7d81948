import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Url } from '../../url/normalize-url.ts';
import { listSpellings } from './spellings.ts';

describe('the spellings in which a service may return a URL', () => {
  for (const [url, ...others] of [
    ['https://shop.example/a', 'https://shop.example/a/'],
    ['https://shop.example/a/', 'https://shop.example/a'],
    ['https://shop.example/a/b?c=d/', 'https://shop.example/a/b/?c=d/'],
    // The root has one spelling, and a text that is no URL has none besides itself.
    ['https://shop.example/'],
    ['https://shop.example/?a=b'],
    ['shop'],
  ]) {
    test(`of ${url}`, () => assert.deepEqual(listSpellings(url as Url), [url, ...others]));
  }
});
