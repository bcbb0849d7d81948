import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readBytes, urlset } from '../../../test/support/sitemap/collect.ts';
import { decodeEntities } from './entities.ts';

const decoded: readonly (readonly [string, string, readonly string[]])[] = [
  ['a&amp;b&lt;&gt;&quot;&apos;', 'a&b<>"\'', []],
  ['&#233;&#xE9;&#XE9;', 'ééé', []],
  ['once: &amp;amp;', 'once: &amp;', []],
  ['&nbsp;&', '&nbsp;&', ['&nbsp;&', '&']],
  ['&#55357;&#56832;', '😀', []],
  ['&#xD83D;&#xDE00; &#xd83d;&#56832;', '😀 😀', []],
  ['&#97;&#55357;&#56832;&#98;', 'a😀b', []],
  ['&#56832;&#55357;', '&#56832;&#55357;', ['&#56832;&#55', '&#55357;']],
  ['&#55357;', '&#55357;', ['&#55357;']],
  ['&#0;&#1;&#xFFFF;', '&#0;&#1;&#xFFFF;', ['&#0;&#1;&#xF', '&#1;&#xFFFF;', '&#xFFFF;']],
];
describe('entities', () => {
  for (const [text, wanted, strays] of decoded) {
    test(text, () => {
      const found: string[] = [];
      assert.equal(
        decodeEntities(text, (stray) => found.push(stray)),
        wanted,
      );
      assert.deepEqual(found, strays);
    });
  }
});

const SITE = 'https://shop.example';
const rss = (link: string) => `<rss><channel><item><link>${link}</link></item></channel></rss>`;
const atom = (link: string) => `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${link}"/></entry></feed>`;
const formats = { urlset, rss, atom, 'a damaged rss': (link: string) => `<rss>&${rss(link).slice(5)}` };

describe('a numeric reference in a loc', () => {
  for (const [format, write] of Object.entries(formats)) {
    test(`that is half of an emoji is joined with the other half, in ${format}`, async () => {
      const { entries } = await readBytes(write(`${SITE}/p/&#55357;&#56832;-smile`));
      assert.deepEqual(
        entries.map(({ url }) => url),
        [`${SITE}/p/%F0%9F%98%80-smile`],
      );
    });
    for (const reference of ['&#55357;', '&#0;', '&amp;#8217;', '&#x110000;', '&#8217']) {
      test(`that is no character costs the record, in ${format}: ${reference}`, async () => {
        const { locs, codes } = await readBytes(write(`${SITE}/p/${reference}/x`));
        assert.deepEqual(locs, []);
        assert.ok(codes.includes('warning BAD_URL'), String(codes));
      });
    }
  }
});

test('a control character in a loc costs the record', async () => {
  const { locs, problems } = await readBytes(urlset(`${SITE}/\x01\x02`, `${SITE}/a\x00b`, `${SITE}/c`));
  assert.deepEqual([locs, problems.map(({ code, count }) => [code, count])], [[`${SITE}/c`], [['BAD_URL', 2]]]);
});
