import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { NS, type ReadSetup, readBytes, urlset } from '../../../test/support/sitemap/collect.ts';
import { formatVersion } from '../../url/version.ts';

const A = 'https://shop.example/a';
const B = 'https://shop.example/çay';
const text = (encoding: string, loc = B) =>
  `<?xml version="1.0" encoding="${encoding}"?><urlset ${NS}><url><loc>${loc}</loc></url></urlset>`;
const utf16 = (value: string, big: boolean) => {
  const bytes = Buffer.from(value, 'utf16le');
  return big ? bytes.swap16() : bytes;
};
const many = urlset(...Array.from({ length: 3_000 }, (_, n) => `https://shop.example/page-${n}`));

const kinds: readonly (readonly [string, string | Buffer, readonly string[], ReadSetup?])[] = [
  ['gzip, whatever its name', gzipSync(urlset(A)), [A]],
  ['gzip in several members', Buffer.concat([gzipSync(urlset(A).slice(0, 60)), gzipSync(urlset(A).slice(60))]), [A]],
  ['gzip with padding after it', Buffer.concat([gzipSync(urlset(A)), Buffer.alloc(512)]), [A]],
  ['gzip by header', gzipSync(urlset(A)), [A], { contentEncoding: 'gzip' }],
  ['a Content-Encoding of gzip that is wrong', urlset(A), [A], { contentEncoding: 'gzip' }],
  ['a Content-Encoding of brotli that is wrong', urlset(A), [A], { contentEncoding: 'br' }],
  ['brotli', brotliCompressSync(urlset(A)), [A], { contentEncoding: 'br' }],
  ['deflate', deflateSync(urlset(A)), [A], { contentEncoding: 'deflate' }],
  ['deflate without its header', deflateRawSync(urlset(A)), [A], { contentEncoding: 'deflate' }],
  ['brotli around gzip', brotliCompressSync(gzipSync(urlset(A))), [A], { contentEncoding: 'br' }],
  ['gzip, then brotli', brotliCompressSync(gzipSync(urlset(A))), [A], { contentEncoding: 'gzip, br' }],
  ['brotli, then gzip', gzipSync(brotliCompressSync(urlset(A))), [A], { contentEncoding: 'br, x-gzip' }],
  [
    'deflate, then brotli, then gzip',
    gzipSync(brotliCompressSync(deflateSync(urlset(A)))),
    [A],
    { contentEncoding: 'deflate, br, gzip' },
  ],
  ['identity', urlset(A), [A], { contentEncoding: 'identity' }],
  ['plain XML that is called .gz', urlset(A), [A], { path: '/sitemap.xml.gz' }],
  [
    'a namespace prefix beyond ASCII',
    `<çeşit:urlset xmlns:çeşit="http://www.sitemaps.org/schemas/sitemap/0.9"><çeşit:url><çeşit:loc>${A}</çeşit:loc></çeşit:url></çeşit:urlset>`,
    [A],
  ],
  ['UTF-8 with a byte order mark', `\uFEFF${text('UTF-8')}`, [B]],
  ['UTF-16 little endian with a byte order mark', utf16(`\uFEFF${text('UTF-16')}`, false), [B]],
  ['UTF-16 big endian with a byte order mark', utf16(`\uFEFF${text('UTF-16')}`, true), [B]],
  ['UTF-16 little endian without a byte order mark', utf16(text('UTF-16'), false), [B]],
  ['UTF-16 big endian without a byte order mark', utf16(text('UTF-16'), true), [B]],
  [
    'UTF-16 by header with a byte order mark',
    utf16(`\uFEFF${text('UTF-16')}`, false),
    [B],
    { contentType: 'text/xml; charset=utf-16' },
  ],
  [
    'ISO-8859-1 by declaration',
    Buffer.from(text('ISO-8859-1', 'https://shop.example/caf\xe9'), 'latin1'),
    ['https://shop.example/café'],
  ],
  [
    'windows-1254 by declaration',
    Buffer.from(text('windows-1254', 'https://shop.example/\xfe'), 'latin1'),
    ['https://shop.example/ş'],
  ],
  [
    'ISO-8859-9 by HTTP only',
    Buffer.from(urlset('https://shop.example/\xfd').slice(39), 'latin1'),
    ['https://shop.example/ı'],
    { contentType: 'application/xml; charset="iso-8859-9"' },
  ],
  ['HTTP before the declaration', text('ISO-8859-1'), [B], { contentType: 'text/xml;charset=UTF-8' }],
  ['UTF-8 under an HTTP charset of ISO-8859-1', text('UTF-8'), [B], { contentType: 'text/xml; charset=ISO-8859-1' }],
  ['an unknown HTTP charset', text('UTF-8'), [B], { contentType: 'text/xml; charset=utf8mb4' }],
  ['ASCII', text('US-ASCII', A), [A]],
  [
    'windows-1251 text',
    Buffer.from('https://shop.example/\xe0\r\n', 'latin1'),
    ['https://shop.example/а'],
    { contentType: 'text/plain; charset=windows-1251' },
  ],
  ['plain text', `# ours\n${A}\n\n  ${B}  \r\n${A}`, [A, B, A]],
  ['plain text with CR line ends', `${A}\r${B}\r`, [A, B]],
  ['plain text with a byte order mark', `\uFEFF${A}\n`, [A]],
  [
    'RSS 2.0',
    `<?xml version="1.0"?><rss version="2.0"><channel><link>https://shop.example/</link><item><title>x</title><link>${A}</link><guid>1</guid></item><item><guid isPermaLink="true">${B}</guid></item></channel></rss>`,
    [A, B],
  ],
  [
    'RSS 2.0 with the links of extensions',
    `<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><atom:link href="https://shop.example/feed" rel="self"/><item><atom:link href="https://shop.example/no"/><link><![CDATA[${A}]]></link></item></channel></rss>`,
    [A],
  ],
  [
    'RSS 1.0',
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><link>https://shop.example/</link></channel><item rdf:about="${A}"><link>${A}</link></item></rdf:RDF>`,
    [A],
  ],
  [
    'Atom',
    `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="https://shop.example/feed"/><entry><link rel="self" href="https://shop.example/no"/><link href="${A}?x=1&amp;y=2"/></entry><entry><link rel="alternate" href="${B}"/></entry></feed>`,
    [`${A}?x=1&y=2`, B],
  ],
  [
    'Atom with a base',
    '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://shop.example/blog/"><entry><link href="1"/></entry></feed>',
    ['1'],
  ],
];
describe('documents that are read', () => {
  for (const [what, document, locs, setup] of kinds) {
    test(`${what}, whole and byte by byte`, async () => {
      for (const chunk of [1 << 20, 1]) {
        const got = await readBytes(document, { ...setup, chunk });
        assert.deepEqual(got.locs, locs);
        assert.deepEqual(
          got.codes.filter((code) => code.startsWith('error')),
          [],
        );
      }
    });
  }
});

test('a robots.txt yields its sitemaps, on any line and in any spelling', async () => {
  const robots =
    '# hello\r\nUser-agent: *\r\nSITEMAP :  https://shop.example/1.xml # ours\r\nDisallow: /\r\nsitemap: /2.xml\rSitemap:\nhttps://shop.example/no.xml\n';
  const { children, locs } = await readBytes(robots, { path: '/robots.txt' });
  assert.deepEqual(children, ['https://shop.example/1.xml', 'https://shop.example/2.xml']);
  assert.deepEqual(locs, []);
});

test('every sitemap that a large robots.txt names is found, and a cut one loses its last line only', async () => {
  const rules = 'Disallow: /a-folder-of-the-shop\n'.repeat(20_000);
  const robots = `Sitemap: /1.xml\n${rules}Sitemap: /2.xml\n${rules}Sitemap: /3.xml`;
  for (const chunk of [1_000, 1 << 20]) {
    const { children, codes } = await readBytes(robots, { path: '/robots.txt', chunk });
    assert.deepEqual([children.map((child) => child.slice(-5)), codes], [['1.xml', '2.xml', '3.xml'], []]);
  }
});

test('zstd in several frames is read to the end of the last one', async () => {
  const pages = Array.from({ length: 3_000 }, (_, n) => `https://shop.example/page-${n}-${'x'.repeat(n % 50)}`);
  const parts = [0, 1_000, 1_100, 2_999].map((from, at, all) => pages.slice(from, all[at + 1]).join('\n'));
  const skippable = Buffer.from('502a4d18030000000102ff', 'hex');
  const frames = parts.map((part) => zstdCompressSync(`${part}\n`));
  const document = Buffer.concat([frames[0]!, skippable, ...frames.slice(1)]);
  const setup = { contentEncoding: 'zstd', path: '/urls.txt' };
  for (const chunk of [1, 7, 16_384, 1 << 20]) {
    const { locs, codes } = await readBytes(document, { ...setup, chunk });
    assert.deepEqual([locs.length, codes], [3_000, []], String(chunk));
  }
  const padded = await readBytes(Buffer.concat([document, Buffer.alloc(512)]), setup);
  assert.deepEqual([padded.locs.length, padded.codes], [3_000, []], 'with padding');
  const second = frames[0]!.length + skippable.length;
  for (const cut of [second - 2, second + 1, second + 3, second + 5, second + 200, document.length - 1]) {
    const { locs, codes } = await readBytes(document.subarray(0, cut), setup);
    assert.deepEqual([locs.length >= 999, codes], [true, ['error GZIP_TRUNCATED']], String(cut));
  }
});

test('RSS dates and Atom dates are parsed', async () => {
  const rss = `<rss><channel><item><link>${A}</link><pubDate>Sat, 21 Nov 2020 09:00:00 +0300</pubDate></item></channel></rss>`;
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${A}"/><updated>2020-11-21T06:00:00Z</updated></entry></feed>`;
  for (const text of [rss, atom]) {
    assert.equal(formatVersion((await readBytes(text)).entries[0]!.version!), '2020-11-21T06:00:00Z');
  }
});

test('a .gz file in a gzip or brotli transfer is not gzip inside gzip', async () => {
  const file = gzipSync(urlset(A));
  assert.deepEqual((await readBytes(gzipSync(file), { contentEncoding: 'gzip' })).codes, []);
  assert.deepEqual((await readBytes(brotliCompressSync(file), { contentEncoding: 'br' })).codes, []);
});

test('gzip inside gzip is read with a warning; more than three layers are an error', async () => {
  assert.deepEqual((await readBytes(gzipSync(gzipSync(urlset(A))))).codes, ['warning GZIP_NESTED']);
  const layers = [0, 1, 2, 3].reduce((inner: Buffer) => gzipSync(inner), Buffer.from(urlset(A)));
  assert.deepEqual((await readBytes(layers)).codes, ['error GZIP_NESTED', 'warning GZIP_NESTED']);
});

test('a declaration of UTF-16 in a document of single bytes is a warning, and the document is read', async () => {
  const { locs, codes } = await readBytes(text('UTF-16'));
  assert.deepEqual([locs, codes], [[B], ['warning XML_MALFORMED']]);
});

const refused: readonly (readonly [string, string | Buffer, string, ReadSetup?])[] = [
  ['nothing', '', 'EMPTY'],
  ['white space', ' \r\n\t', 'EMPTY'],
  ['gzip of nothing', gzipSync(''), 'EMPTY'],
  ['HTML', '<!DOCTYPE html><html><body>https://shop.example/</body></html>', 'NOT_SITEMAP'],
  ['HTML without a document type', '<html><head></head></html>', 'NOT_SITEMAP'],
  ['HTML in capitals', '<HTML><BODY></BODY></HTML>', 'NOT_SITEMAP'],
  ['JSON', '{"urls": ["https://shop.example/"]}', 'NOT_SITEMAP'],
  ['a JSON list', '["https://shop.example/"]', 'NOT_SITEMAP'],
  ['other XML', '<?xml version="1.0"?><note><url><loc>https://shop.example/</loc></url></note>', 'NOT_SITEMAP'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'NOT_SITEMAP'],
  ['a sentence', 'Not found', 'NOT_SITEMAP'],
  ['a PDF', '%PDF-1.7\n<urlset>', 'NOT_SITEMAP'],
  ['a robots.txt without a sitemap', 'User-agent: *\nDisallow: /\n', 'NO_SITEMAPS'],
  ['an index without an entry', `<sitemapindex ${NS}></sitemapindex>`, 'NO_SITEMAPS'],
  ['an unknown encoding', text('x-martian'), 'UNSUPPORTED_ENCODING'],
  ['UTF-32', Buffer.from('fffe00003c000000', 'hex'), 'UNSUPPORTED_ENCODING'],
  ['EBCDIC', Buffer.from('4c6fa7949340a585', 'hex'), 'UNSUPPORTED_ENCODING'],
  ['gzip of noise', Buffer.concat([Buffer.from('1f8b0800', 'hex'), Buffer.alloc(64, 7)]), 'GZIP_CORRUPT'],
  ['a feed with damage', '<rss><channel><item><link>https://shop.example/a</link></channel></rss>', 'XML_MALFORMED'],
];
describe('documents that are refused', () => {
  for (const [what, document, code, setup] of refused) {
    test(`${what} is ${code}`, async () => {
      const { codes } = await readBytes(document, setup);
      assert.ok(codes.includes(`error ${code}`), String(codes));
    });
  }
});

test('truncated gzip yields every whole record before the cut', async () => {
  const whole = gzipSync(many);
  const { locs, codes } = await readBytes(whole.subarray(0, whole.length / 2), { chunk: 1_000 });
  assert.ok(locs.length > 500 && locs.length < 3_000, String(locs.length));
  assert.deepEqual(
    locs,
    Array.from({ length: locs.length }, (_, n) => `https://shop.example/page-${n}`),
  );
  assert.deepEqual(codes, ['error GZIP_TRUNCATED']);
});

test('gzip with a wrong checksum yields its pages and is not complete', async () => {
  const broken = gzipSync(urlset(A));
  broken.writeUInt32LE(broken.readUInt32LE(broken.length - 8) ^ 1, broken.length - 8);
  const { locs, codes } = await readBytes(broken);
  assert.deepEqual([locs, codes], [[A], ['error GZIP_CORRUPT']]);
});

test('a sitemap over the limits of the protocol is read with a warning', async () => {
  const over = Array.from({ length: 50_001 }, (_, n) => `https://shop.example/${n}`);
  const { locs, codes } = await readBytes(urlset(...over));
  assert.equal(locs.length, 50_001);
  assert.deepEqual(codes, ['warning TOO_MANY_URLS']);
  const large = urlset(A).replace('</urlset>', `${`<!--${'x'.repeat(1 << 20)}-->`.repeat(51)}</urlset>`);
  assert.deepEqual((await readBytes(large)).codes, ['warning TOO_LARGE']);
});
