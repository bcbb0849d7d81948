import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isNormalBytes } from './normal-bytes.ts';
import { isNormal, normalizeUrl } from './normalize-url.ts';

function check(text: string): boolean {
  const bytes = Buffer.from(`<loc>${text}</loc>`);
  return isNormalBytes(bytes, 5, bytes.length - 6);
}

const origins = fc.constantFrom(
  'https://shop.example',
  'https://shop.example:8443',
  'http://www.shop.example',
  'https://Shop.example',
  'https://shop.example:443',
  'https://user@shop.example',
  'ftp://shop.example',
  'https://',
  '',
);
const pieces = fc.constantFrom(
  ...['/', '.', '..', '/.', 'a', 'B', '%', '%2e', '%2E', '%2', '%C3%BC', '?', '&', '&amp;', '#', ' ', '\n', "'", 'ü'],
  ...['|', '{', '[', '\\', '"', '~', '$(', ':', '@', 'a'.repeat(1_000)],
);
const urls = fc.tuple(origins, fc.array(pieces, { maxLength: 6 })).map(([origin, path]) => `${origin}${path.join('')}`);

describe('URLs as bytes', () => {
  test('what passes is a URL in its normal form', () => {
    fc.assert(
      fc.property(fc.array(urls, { minLength: 1, maxLength: 4 }), (texts) => {
        for (const text of texts) {
          if (check(text)) assert.deepEqual([isNormal(text), normalizeUrl(text)], [true, { ok: true, url: text }]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('a normal URL passes unless it holds an ampersand, whatever was checked before', () => {
    fc.assert(
      fc.property(fc.array(urls, { minLength: 1, maxLength: 4 }), (texts) => {
        for (const text of texts) assert.equal(check(text), isNormal(text) && !text.includes('&'), text);
      }),
      { numRuns: 2_000 },
    );
  });
});
