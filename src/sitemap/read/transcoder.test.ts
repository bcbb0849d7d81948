import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { NS, readBytes, urlset } from '../../../test/support/sitemap/collect.ts';

const WORDS = [
  'ürün',
  'café',
  'Москва',
  'ελληνικά',
  'čeština',
  '北京',
  '日本語',
  '한국어',
  'ไทย',
  'עברית',
  'العربية',
  '🍵',
];
const HEADERS = [
  undefined,
  'text/xml',
  ...['utf-8', 'iso-8859-1', 'iso-8859-9', 'windows-1251', 'windows-1254', 'gbk', 'shift_jis', 'euc-kr', 'iso-2022-jp']
    .concat(['utf-16', 'us-ascii', 'unknown'])
    .map((charset) => `text/plain; charset=${charset}`),
];
const toPath = (word: string) => `https://shop.example/${word}`;

/** The characters of an encoding with their bytes: what a TextDecoder reads, turned around. */
function makeEncoder(label: string): (text: string) => Buffer {
  const decoder = new TextDecoder(label);
  const bytes = new Map<string, number[]>();
  for (let first = 0; first < 256; first += 1) {
    const one = decoder.decode(Uint8Array.of(first));
    if (!one.includes('\uFFFD') && !bytes.has(one)) bytes.set(one, [first]);
  }
  for (let first = 0x81; first < 0xff; first += 1) {
    for (let second = 0x40; second < 0xff; second += 1) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if ([...pair].length === 1 && pair !== '\uFFFD' && !bytes.has(pair)) bytes.set(pair, [first, second]);
    }
  }
  return (text) =>
    Buffer.from([...text].flatMap((letter) => bytes.get(letter) ?? assert.fail(`${letter} in ${label}`)));
}

const DOCUMENTS: readonly (readonly [string, (words: readonly string[]) => string])[] = [
  ['a urlset that declares UTF-8', (words) => urlset(...words.map(toPath))],
  ['a urlset without a declaration', (words) => urlset(...words.map(toPath)).slice(39)],
  ['a text sitemap', (words) => words.map((word) => `${toPath(word)}\n`).join('')],
  [
    'a feed',
    (words) =>
      `<rss><channel>${words.map((word) => `<item><title>${word}</title><link>${toPath(word)}</link></item>`).join('')}</channel></rss>`,
  ],
];

describe('a UTF-8 document yields the same URLs under every header and in chunks of every size', () => {
  for (const [what, write] of DOCUMENTS) {
    test(what, async () => {
      const words = fc.array(fc.constantFrom(...WORDS, 'ascii'), { minLength: 1, maxLength: 6 });
      const padding = fc.constantFrom(0, 10, 100);
      const property = fc.asyncProperty(
        words,
        padding,
        fc.constantFrom(...HEADERS),
        fc.integer({ min: 1, max: 3_000 }),
        async (found, pad, contentType, chunk) => {
          const all = [...Array.from({ length: pad }, (_, n) => `page-${n}`), ...found];
          const setup = { chunk, ...(contentType === undefined ? {} : { contentType }) };
          const { locs, entries } = await readBytes(write(all), setup);
          assert.deepEqual(locs, all.map(toPath));
          assert.deepEqual(
            entries.map(({ url }) => url),
            all.map((word) => new URL(toPath(word)).href),
          );
        },
      );
      await fc.assert(property, { numRuns: 50 });
    });
  }
});

test('a document far larger than the sample yields the same URLs in chunks of every size', async () => {
  const words = [
    ...Array.from({ length: 100 }, (_, n) => `page-${n}`),
    ...Array.from({ length: 8_000 }, (_, n) => `ürün-${n}`),
  ];
  for (const chunk of [1_460, 16_384, 262_144, 10_000_000]) {
    const { locs } = await readBytes(urlset(...words.map(toPath)), {
      chunk,
      contentType: 'text/xml; charset=iso-8859-1',
    });
    assert.deepEqual(locs, words.map(toPath), `${chunk} bytes`);
  }
});

describe('a document in the encoding that it declares yields the same URLs under every header', () => {
  const declared: readonly (readonly [string, string])[] = [
    ['windows-1254', 'ürün-şapka-ığ'],
    ['iso-8859-1', 'café'],
    ['windows-1251', 'Москва'],
    ['windows-1253', 'ελληνικά'],
    ['gbk', '北京图书'],
    ['gbk', '图'],
    ['euc-kr', '한국어'],
    ['shift_jis', '日本語'],
    ['big5', '中文'],
  ];
  for (const [label, word] of declared) {
    test(`${label}: ${word}`, async () => {
      const text = `<?xml version="1.0" encoding="${label}"?><urlset ${NS}><url><loc>${toPath(word)}</loc></url></urlset>`;
      const bytes = makeEncoder(label)(text);
      for (const contentType of HEADERS) {
        for (const chunk of [1, 100, bytes.length]) {
          const { locs } = await readBytes(bytes, { chunk, ...(contentType === undefined ? {} : { contentType }) });
          assert.deepEqual(locs, [toPath(word)], `${contentType}, ${chunk} bytes`);
        }
      }
    });
  }
});

test('the charset of the server is used when the document is neither UTF-8 nor declares anything', async () => {
  const bytes = makeEncoder('windows-1251')(`${toPath('Москва')}\n${toPath('кни')}\n`);
  for (const chunk of [1, 30, bytes.length]) {
    const { locs } = await readBytes(bytes, { chunk, contentType: 'text/plain; charset=windows-1251' });
    assert.deepEqual(locs, [toPath('Москва'), toPath('кни')]);
  }
});

test('an invalid byte in a UTF-8 document costs its record, under a charset of iso-8859-1 too', async () => {
  const words = ['ürün', 'çay', 'bad', 'süt'];
  const bytes = Buffer.from(urlset(...words.map(toPath)), 'utf8');
  bytes[bytes.indexOf('bad')] = 0xff;
  const { locs, codes } = await readBytes(bytes, { contentType: 'text/xml; charset=iso-8859-1' });
  assert.deepEqual([locs, codes], [['ürün', 'çay', 'süt'].map(toPath), ['warning BAD_URL']]);
});

test('UTF-8 that declares another encoding is read as UTF-8 with a warning', async () => {
  const text = urlset(toPath('ürün')).replace('UTF-8', 'ISO-8859-1');
  const { locs, codes } = await readBytes(text);
  assert.deepEqual([locs, codes], [[toPath('ürün')], ['warning XML_MALFORMED']]);
});
