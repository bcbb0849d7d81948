import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Url } from './normalize-url.ts';
import { listSpellings } from './spellings.ts';

const list = (url: string): string[] => listSpellings(url as Url);

describe('the spellings under which a page may be listed', () => {
  for (const [url, other] of [
    ['https://shop.example/a', 'https://shop.example/a/'],
    ['https://shop.example/a/', 'https://shop.example/a'],
    ['https://shop.example/a', 'http://shop.example/a'],
    ['http://shop.example/a', 'https://shop.example/a'],
    ['https://shop.example/a', 'https://www.shop.example/a'],
    ['https://www.shop.example/a', 'https://shop.example/a'],
    ['https://shop.example/a?b=c', 'https://shop.example/a'],
    ['https://shop.example/A/b', 'https://shop.example/a/b'],
    ['http://www.shop.example/A/?b=c', 'https://shop.example/a'],
  ] as const) {
    test(`${url} may be ${other}`, () => assert.ok(list(url).includes(other)));
  }

  for (const [url, count] of [
    ['https://shop.example/', 3],
    ['https://shop.example/a', 7],
    ['http://www.shop.example/A?b=c', 31],
  ] as const) {
    test(`${url} has ${count} others, and each has it among its own`, () => {
      const others = list(url);
      assert.equal(others.length, count);
      assert.ok(!others.includes(url));
      if (url.toLowerCase() === url) for (const each of others) assert.ok(list(each).includes(url), each);
    });
  }

  test('those with one change come first, those with every change last', () => {
    const all = list('http://www.shop.example/A/?b=c');
    assert.deepEqual(
      new Set(all.slice(0, 5)),
      new Set([
        'http://www.shop.example/A?b=c',
        'https://www.shop.example/A/?b=c',
        'http://shop.example/A/?b=c',
        'http://www.shop.example/A/',
        'http://www.shop.example/a/?b=c',
      ]),
    );
    assert.equal(all.at(-1), 'https://shop.example/a');
  });
});
