import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeEntities } from '../sitemap/read/entities.ts';
import { NormalBytes } from './normal-bytes.ts';
import { isNormal, normalizeUrl } from './normalize-url.ts';

/** The normal form that is made of bytes; null when they leave the decision to the parser. */
function read(reader: NormalBytes, text: string | Uint8Array): string | null {
  const bytes = Buffer.concat([Buffer.from('<loc>'), Buffer.from(text), Buffer.from('</loc>')]);
  if (!reader.read(bytes, 5, bytes.length - 6)) return null;
  return Buffer.from(reader.bytes.subarray(reader.from, reader.to)).toString('latin1');
}

/** What a reader of the document makes of the same text. */
const normalize = (text: string) => normalizeUrl(decodeEntities(text, () => undefined).trim());

const unusual = fc.constantFrom(
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
const origins = fc.oneof(
  { weight: 2, arbitrary: unusual },
  { weight: 3, arbitrary: fc.constantFrom('https://shop.example/', 'http://www.shop.example/a') },
);
const pieces = fc.constantFrom(
  ...['/', '.', '..', '/.', 'a', 'B', '%', '%2e', '%2E', '%2', '%C3%BC', '?', '&', '&amp;', '#', ' ', '\n', "'", 'ü'],
  ...['|', '{', '[', '\\', '"', '~', '$(', ':', '@', 'a'.repeat(1_000), 'ü'.repeat(300), '&amp;'.repeat(300)],
  ...[
    'ç',
    '\u00a0',
    '\u0085',
    '\u2003',
    '\u3000',
    '\ufeff',
    '\ufffd',
    '\uff11',
    '日本',
    '😀',
    '&amp;amp;',
    '&am',
    '&lt;',
  ],
);
const urls = fc.tuple(origins, fc.array(pieces, { maxLength: 6 })).map(([origin, path]) => `${origin}${path.join('')}`);

describe('URLs as bytes', () => {
  test('what is read has the normal form that the parser gives it', () => {
    let withLetters = 0;
    fc.assert(
      fc.property(fc.array(urls, { minLength: 1, maxLength: 4 }), (texts) => {
        const reader = new NormalBytes();
        for (const text of texts) {
          const url = read(reader, text);
          if (url === null) continue;
          assert.deepEqual(normalize(text), { ok: true, url }, text);
          assert.equal(reader.hasLetters, /[^ -~]/.test(text), text);
          if (reader.hasLetters) withLetters += 1;
        }
      }),
      { numRuns: 10_000 },
    );
    assert.ok(withLetters > 100, `${withLetters} URLs with letters`);
  });

  test('a URL in its normal form is read, whatever was read before, unless its ampersands are not escaped', () => {
    fc.assert(
      fc.property(fc.array(urls, { minLength: 1, maxLength: 4 }), (texts) => {
        const reader = new NormalBytes();
        for (const text of texts) {
          if (!isNormal(text) || text.includes('&')) continue;
          assert.equal(read(reader, text), text);
          assert.equal(reader.hasLetters, false);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [text, url] of [
    ['https://shop.example/a?b=1&amp;c=2&amp;amp;', 'https://shop.example/a?b=1&c=2&amp;'],
    [
      'https://shop.example/çay/日本/😀x?q=ü',
      'https://shop.example/%C3%A7ay/%E6%97%A5%E6%9C%AC/%F0%9F%98%80x?q=%C3%BC',
    ],
    ['https://shop.example/a&amp;çay', 'https://shop.example/a&%C3%A7ay'],
    ['https://shop.example/çay-bardağı', 'https://shop.example/%C3%A7ay-barda%C4%9F%C4%B1'],
  ] as const) {
    test(`${text} needs no parser`, () => {
      assert.equal(read(new NormalBytes(), text), url);
      assert.deepEqual(normalize(text), { ok: true, url });
    });
  }

  for (const [what, text] of [
    ['bytes that are no UTF-8', Buffer.from('https://shop.example/\xfc', 'latin1')],
    ['half of a character', Buffer.from('https://shop.example/ü').subarray(0, -1)],
    ['an overlong slash', Buffer.from('https://shop.example/\xc0\xaf', 'latin1')],
    ['white space beyond ASCII at the end', 'https://shop.example/a\u00a0'],
    ['an ideographic space at the end', 'https://shop.example/a\u3000'],
    ['a character that stands for bytes that are none', 'https://shop.example/\ufffd'],
    ['another entity', 'https://shop.example/?a&lt;b'],
    ['an ampersand that is not escaped', 'https://shop.example/?a&b'],
    ['a dot segment behind an ampersand', 'https://shop.example/?a&amp;b/../c'],
    ['an encoded dot behind a letter', 'https://shop.example/ü/%2e/c'],
    ['a letter in the host', 'https://çay.example/a'],
    ['2,049 characters once encoded', `https://shop.example/${'ü'.repeat(338)}`],
  ] as const) {
    test(`${what} is left to the parser`, () => {
      const reader = new NormalBytes();
      read(reader, 'https://shop.example/');
      assert.equal(read(reader, text), null);
    });
  }

  test('a letter that goes on behind the end of the text is no letter of it', () => {
    const bytes = Buffer.from('https://shop.example/ü');
    assert.equal(new NormalBytes().read(bytes, 0, bytes.length), true);
    assert.equal(new NormalBytes().read(bytes, 0, bytes.length - 1), false);
  });
});
