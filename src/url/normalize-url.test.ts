import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isNormal, normalizeUrl } from './normalize-url.ts';

const BASE = 'https://shop.example/sitemaps/main.xml';

const same = [
  'https://shop.example/',
  'https://shop.example/a//b/',
  'https://shop.example/A?b=2&a=1&a=1',
  'https://shop.example/caf%C3%A9?q=%2F%2f',
  'https://shop.example/?',
  'https://xn--mnchen-3ya.example/',
  'http://127.0.0.1:8080/x',
  'https://shop.example/a;b=c,d@e:f!$&()*+~',
];
describe('URLs that are kept as sent', () => {
  for (const url of same) {
    test(url, () => assert.deepEqual(normalizeUrl(url, BASE), { ok: true, url }));
  }
});

const normalised: readonly (readonly [string, string, string])[] = [
  ['the host in lower case', 'HTTPS://Shop.EXAMPLE/Path', 'https://shop.example/Path'],
  ['no fragment', 'https://shop.example/a#b', 'https://shop.example/a'],
  ['no fragment behind a raw ampersand', 'https://shop.example/?a=1&#top', 'https://shop.example/?a=1&'],
  ['no empty fragment', 'https://shop.example/a#', 'https://shop.example/a'],
  ['no default port', 'https://shop.example:443/a', 'https://shop.example/a'],
  ['a path at least', 'https://shop.example', 'https://shop.example/'],
  ['no dot segments', 'https://shop.example/a/../b/./c', 'https://shop.example/b/c'],
  ['no dot segments in disguise', 'https://shop.example/a/%2E%2e/b', 'https://shop.example/b'],
  ['Punycode hosts', 'https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
  ['UTF-8 percent-encoded', 'https://shop.example/ü?q=ü', 'https://shop.example/%C3%BC?q=%C3%BC'],
  ['spaces encoded', ' https://shop.example/a b ', 'https://shop.example/a%20b'],
  ['a wrapped line joined', 'https://shop.example/a\n      b', 'https://shop.example/ab'],
];
describe('the normal form', () => {
  for (const [what, loc, url] of normalised) {
    test(what, () => assert.deepEqual(normalizeUrl(loc), { ok: true, url }));
  }
});

const relative: readonly (readonly [string, string])[] = [
  ['/a', 'https://shop.example/a'],
  ['a.html', 'https://shop.example/sitemaps/a.html'],
  ['../b?c', 'https://shop.example/b?c'],
  ['//cdn.example/a', 'https://cdn.example/a'],
  ['?page=2', 'https://shop.example/sitemaps/main.xml?page=2'],
  ['index.php', 'https://shop.example/sitemaps/index.php'],
  ['v1.2/notes', 'https://shop.example/sitemaps/v1.2/notes'],
  ['blog/a.b-c', 'https://shop.example/sitemaps/blog/a.b-c'],
  ['http/2', 'https://shop.example/sitemaps/http/2'],
];
describe('relative URLs', () => {
  for (const [loc, url] of relative) {
    test(loc, () => assert.deepEqual(normalizeUrl(loc, BASE), { ok: true, url, relative: true }));
  }
});

const refused: readonly (readonly [string, string])[] = [
  ['', 'empty'],
  ['  \n', 'empty'],
  ['mailto:a@shop.example', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['ftp://shop.example/a', 'scheme'],
  ['https://user:secret@shop.example/', 'credentials'],
  ['//user@shop.example/', 'credentials'],
  ['https://', 'malformed'],
  ['https:/shop.example/', 'malformed'],
  ['https://a b/', 'malformed'],
  ['https://shop..example/', 'malformed'],
  ['http://[::1', 'malformed'],
  ['https://shop.example/\uFFFD', 'malformed'],
  ['https://shop.example/p/&#55357;-smile', 'malformed'],
  ['https://shop.example/p/&#xD83D;', 'malformed'],
  ['https://shop.example/q&#0;/x', 'malformed'],
  ['https://shop.example/q&#8217/x', 'malformed'],
  ['/p/&#8217;s', 'malformed'],
  ['https://shop.example/\x01\x02', 'malformed'],
  ['https://shop.example/a\x00b', 'malformed'],
  ['\x01https://shop.example/', 'malformed'],
  ['/a\x1fb', 'malformed'],
  ['www.shop.example/a', 'malformed'],
  ['shop.example/a', 'malformed'],
  ['shop.example:8080/a', 'malformed'],
  ['{{ site.url }}/a', 'malformed'],
  ['[shop](https://shop.example/)', 'malformed'],
  ['http//shop.example/typo', 'malformed'],
  ['https//shop.example', 'malformed'],
  ['http', 'malformed'],
  ['example.com', 'malformed'],
  ['yourdomain.com/x', 'malformed'],
  ['other.xn--p1ai/x', 'malformed'],
  ['#top', 'malformed'],
  ['#URL_SITE/x', 'malformed'],
  ['__BASE_URL__/x', 'malformed'],
  ['https://__BASE_URL__/x', 'malformed'],
  ['https://{{ host }}/x', 'malformed'],
  ['https://$host/x', 'malformed'],
  ['https://shop.example/{{ slug }}', 'malformed'],
  ['https://shop.example/\u0024{slug}', 'malformed'],
  ['/<%= slug %>', 'malformed'],
  [`https://shop.example/${'a'.repeat(2048)}`, 'too-long'],
  [`https://shop.example/${'ü'.repeat(400)}`, 'too-long'],
];
describe('texts that are refused', () => {
  for (const [loc, reason] of refused) {
    test(`${loc.slice(0, 40) || 'an empty text'}: ${reason}`, () =>
      assert.deepEqual(normalizeUrl(loc, BASE), { ok: false, reason }));
  }
});

test('a relative URL in a local file has no base', () =>
  assert.deepEqual(normalizeUrl('/a', 'file:///srv/sitemap.xml'), { ok: false, reason: 'no-base' }));

test('2,048 characters are the longest URL', () => {
  const longest = `https://shop.example/${'a'.repeat(2048 - 'https://shop.example/'.length)}`;
  assert.deepEqual(normalizeUrl(longest), { ok: true, url: longest });
});

/** Texts near the border of what a URL parser takes. */
const nearlyUrl = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', '//', '/', '', 'https:'),
    fc.constantFrom('shop.example', 'SHOP.example', 'ü.example', '127.1', '[::1]', 'a:80', 'a.example:443', ''),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          '/',
          '/.',
          '/..',
          '%2e',
          '%2E',
          '%',
          '%zz',
          '?',
          '#',
          '&',
          '=',
          "'",
          '"',
          '\\',
          ' ',
          '\n',
          '|',
          '{',
          '^',
        ),
        fc.string({ unit: 'binary', maxLength: 3 }),
      ),
      { maxLength: 8 },
    ),
  )
  .map(([scheme, host, rest]) => scheme + host + rest.join(''));

test('normalizing is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyUrl, fc.webUrl({ withFragments: true, withQueryParameters: true })), (text) => {
      const once = normalizeUrl(text, BASE);
      if (once.ok) assert.deepEqual(normalizeUrl(once.url), { ok: true, url: once.url });
    }),
    { numRuns: 5_000 },
  );
});

test('letters beyond ASCII are encoded as the URL parser encodes them', () => {
  isNormal('https://shop.example/');
  const piece = fc.oneof(
    fc.constantFrom('/', 'a', '?', '&', '%', '%2e', '.', '#', "'"),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = `https://shop.example/${pieces.join('')}`.trim();
      const got = normalizeUrl(text);
      if (got.ok && !/[\t\r\n]/.test(text)) assert.equal(got.url, new URL(text).href.split('#', 1)[0]);
    }),
    { numRuns: 5_000 },
  );
});

test('the fast path never disagrees with the URL parser', () => {
  fc.assert(
    fc.property(fc.oneof(nearlyUrl, fc.webUrl({ withQueryParameters: true })), (text) => {
      isNormal(text);
      if (isNormal(text)) assert.equal(new URL(text).href, text);
    }),
    { numRuns: 5_000 },
  );
});
