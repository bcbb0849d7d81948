import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readBytes } from '../../../test/support/sitemap/collect.ts';

const [A, B] = ['https://shop.example/a', 'https://shop.example/b'];
const VERSION = 'https://jsonfeed.org/version/1.1';
const feed = (items: readonly unknown[], more: object = {}) => JSON.stringify({ version: VERSION, ...more, items });
const pages = async (document: string) => (await readBytes(document)).entries.map(({ url, lastmod }) => [url, lastmod]);

describe('JSON Feed', () => {
  test('an item is its url and the date of its last change', async () => {
    const items = [
      { id: '1', url: A, date_published: '2024-01-01T00:00:00Z', date_modified: '2024-02-01T00:00:00+03:00' },
      { id: 2, url: ` ${B} `, date_published: '2024-01-01T00:00:00Z' },
    ];
    assert.deepEqual(await pages(feed(items)), [
      [A, '2024-02-01T00:00:00+03:00'],
      [B, '2024-01-01T00:00:00Z'],
    ]);
  });

  test('without a url, the id is the page if it is a URL; a page of somebody else is none', async () => {
    const { locs, codes } = await readBytes(feed([{ id: A }, { id: 'tag:1', external_url: B }, 'x', null]));
    assert.deepEqual([locs, codes], [[A], ['warning BAD_URL']]);
  });

  test('is known by its version, wherever it stands and however its slashes are written', async () => {
    const padding = 'x'.repeat(20_000);
    for (const document of [
      JSON.stringify({ items: [{ url: A, content_text: padding }], title: 'x', version: VERSION }),
      feed([{ url: A }]).replaceAll('/', '\\/'),
      `\uFEFF\n ${JSON.stringify(JSON.parse(feed([{ url: A }])), null, 2)}`,
      feed([{ url: A }]).replace('https://jsonfeed', 'http://jsonfeed'),
    ]) {
      for (const chunk of [100, 1 << 20]) {
        assert.deepEqual((await readBytes(document, { chunk })).locs, [A]);
      }
    }
  });

  test('a relative url is counted and no page', async () => {
    const { entries, codes } = await readBytes(feed([{ url: '/a' }, { url: B }]));
    assert.deepEqual([entries.map(({ url }) => url), codes], [[null, B], ['warning RELATIVE_URL']]);
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['other JSON', JSON.stringify({ urls: [A] }), 'NOT_SITEMAP'],
    ['a version inside an item', JSON.stringify({ items: [{ url: A, version: VERSION }] }), 'NOT_SITEMAP'],
    ['a list', JSON.stringify([{ url: A }]), 'NOT_SITEMAP'],
    ['a feed without items', JSON.stringify({ version: VERSION }), 'JSON_MALFORMED'],
    ['a feed that ends too early', feed([{ url: A }, { url: B }]).slice(0, -3), 'JSON_MALFORMED'],
    ['more than a feed', `${feed([{ url: A }])}{`, 'JSON_MALFORMED'],
    ['a feed that is too large', feed([{ url: A, text: 'x'.repeat(17 * 1024 * 1024) }]), 'TOO_LARGE'],
  ];
  for (const [what, document, code] of refused) {
    test(`${what} is ${code}`, async () => {
      const { locs, codes } = await readBytes(document, { chunk: 65_536 });
      assert.deepEqual([locs, codes], [[], [`error ${code}`]]);
    });
  }

  test('an empty feed is well-formed', async () =>
    assert.deepEqual((await readBytes(feed([]))).codes, ['warning EMPTY']));
});
