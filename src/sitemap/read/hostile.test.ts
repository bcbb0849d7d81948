import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { measureCpu } from '../../../test/support/cpu-time.ts';
import { NS, type ReadSetup, readBytes, urlset } from '../../../test/support/sitemap/collect.ts';

const HEAD = `<?xml version="1.0"?><urlset ${NS}>`;
const A = 'https://shop.example/a';
const first = `<url><loc>${A}</loc></url>`;
const bomb = (levels: number) =>
  `<!DOCTYPE z [<!ENTITY a0 "aaaaaaaaaa">${Array.from({ length: levels }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('')}]>`;

const brotliBomb = brotliCompressSync(Buffer.alloc(256 << 20, ' '), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
});

/** What it is, its bytes, and the code that its verdict must have. */
const hostile: readonly (readonly [string, () => string | Buffer, string, ReadSetup?])[] = [
  [
    'an entity bomb',
    () => `${bomb(9)}<urlset ${NS}><url><loc>https://shop.example/&a9;</loc></url></urlset>`,
    'DOCTYPE_FORBIDDEN',
  ],
  [
    'an external entity',
    () => `<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset ${NS}><url><loc>&x;</loc></url></urlset>`,
    'DOCTYPE_FORBIDDEN',
  ],
  [
    'a parameter entity',
    () => `<!DOCTYPE u [<!ENTITY % x SYSTEM "http://127.0.0.1/x.dtd"> %x;]><urlset ${NS}/>`,
    'DOCTYPE_FORBIDDEN',
  ],
  [
    'an entity bomb in a feed',
    () => `${bomb(9)}<rss><channel><item><link>&a9;</link></item></channel></rss>`,
    'DOCTYPE_FORBIDDEN',
  ],
  ['a gzip bomb', () => gzipSync(Buffer.alloc(64 << 20, ' ')), 'TOO_LARGE'],
  ['a gzip bomb of zeros', () => gzipSync(Buffer.alloc(64 << 20)), 'TOO_LARGE'],
  ['a brotli bomb', () => brotliBomb, 'TOO_LARGE', { contentEncoding: 'br' }],
  ['a gzip bomb of records', () => gzipSync(HEAD + first.repeat(400_000)), 'TOO_LARGE'],
  ['a bomb in a bomb', () => gzipSync(gzipSync(Buffer.alloc(128 << 20, ' '))), 'TOO_LARGE'],
  ['a body that goes on', () => HEAD + first.repeat(300_000), 'TOO_LARGE', { maxBytes: 10_000_000 }],
  ['a text that goes on', () => 'x'.repeat(12_000_000), 'NOT_SITEMAP', { maxBytes: 10_000_000 }],
  ['a comment that goes on', () => `${HEAD}<!--${'x'.repeat(12_000_000)}`, 'TOO_LARGE', { maxBytes: 10_000_000 }],
  ['white space that goes on', () => ' '.repeat(12_000_000), 'TOO_LARGE', { maxBytes: 10_000_000 }],
  ['millions of empty tags', () => `${HEAD}${'<a/>'.repeat(2_000_000)}</urlset>`, 'RECORD_TOO_LARGE'],
  ['millions of empty records', () => `${HEAD}${'<url/>'.repeat(2_000_000)}</urlset>`, 'RECORD_TOO_LARGE'],
  [
    'millions of empty tags in one record',
    () => `${HEAD}<url>${'<a/>'.repeat(2_000_000)}</url></urlset>`,
    'RECORD_TOO_LARGE',
  ],
  [
    'ten-thousand-fold nesting',
    () => `${HEAD}${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}</urlset>`,
    'XML_TOO_DEEP',
  ],
  ['ten-thousand-fold nesting before a root', () => `${'<a>'.repeat(10_000)}`, 'NOT_SITEMAP'],
  [
    'an attribute of a megabyte',
    () => `${HEAD}<url x="${'y'.repeat(1_000_000)}"><loc>${A}</loc></url></urlset>`,
    'RECORD_TOO_LARGE',
  ],
  [
    'a megabyte of attributes',
    () => `${HEAD}<url ${'x="" '.repeat(200_000)}><loc>${A}</loc></url></urlset>`,
    'RECORD_TOO_LARGE',
  ],
  ['a name of a megabyte', () => `${HEAD}<${'y'.repeat(1_000_000)}>`, 'RECORD_TOO_LARGE'],
  [
    'a loc of a megabyte',
    () => `${HEAD}<url><loc>${A}${'y'.repeat(1_000_000)}</loc></url></urlset>`,
    'RECORD_TOO_LARGE',
  ],
  [
    'a loc in a hundred thousand pieces',
    () => `${HEAD}<url><loc>${A}${'<!---->y'.repeat(300_000)}</loc></url></urlset>`,
    'RECORD_TOO_LARGE',
  ],
  [
    'a hundred thousand frames of zstd',
    () => Buffer.from(Array(100_000).fill('28b52ffd2000010000').join(''), 'hex'),
    'TOO_LARGE',
    { contentEncoding: 'zstd' },
  ],
  ['a feed of 20 MB', () => `<rss><channel>${'<item/>'.repeat(3_000_000)}</channel></rss>`, 'TOO_LARGE'],
];

describe('hostile documents end quickly', () => {
  for (const [what, make, code, setup] of hostile) {
    test(`${what} is ${code}`, async () => {
      const bytes = make();
      const before = process.memoryUsage.rss();
      const cpu = await measureCpu(async () => {
        const { codes } = await readBytes(bytes, { chunk: 65_536, ...setup });
        assert.ok(codes.includes(`error ${code}`), String(codes));
      });
      assert.ok(cpu < 5_000, `too slow: ${cpu} ms`);
      assert.ok(process.memoryUsage.rss() - before < 200_000_000, 'too much memory');
    });
  }
});

const quadratic: readonly (readonly [string, string])[] = [
  ['an open tag', `${HEAD}<url ${'x="y" '.repeat(40_000)}`],
  ['an open quote', `${HEAD}<url x="${'y'.repeat(200_000)}`],
  ['an open CDATA section in a loc', `${HEAD}<url><loc><![CDATA[${'y'.repeat(200_000)}`],
  ['an open document type', `<!DOCTYPE urlset [${' '.repeat(200_000)}`],
  ['entities without end', `${HEAD}<url><loc>${'&'.repeat(200_000)}`],
];
describe('input that trickles in', () => {
  for (const [what, text] of quadratic) {
    test(`${what} is scanned in linear time`, async () => {
      const cpu = await measureCpu(() => readBytes(text, { chunk: 64 }));
      assert.ok(cpu < 2_000, `scanned again and again: ${cpu} ms`);
    });
  }
});

test('element names like __proto__ are ordinary names', async () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
  const text = `${HEAD}${names.map((name) => `<url><${name}>x</${name}><loc>${A}</loc></url>`).join('')}</urlset>`;
  assert.equal((await readBytes(text)).locs.length, names.length);
  const feed = `<rss><channel><item><__proto__>x</__proto__><link>${A}</link></item></channel></rss>`;
  assert.doesNotMatch((await readBytes(feed)).codes.join(), /undefined/);
});

test('pages before a limit is reached are kept', async () => {
  const { locs, codes } = await readBytes(urlset(A).replace('</urlset>', `<url x="${'y'.repeat(1_000_000)}"/>`));
  assert.deepEqual([locs, codes], [[A], ['error RECORD_TOO_LARGE']]);
});
