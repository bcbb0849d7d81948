import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readBytes } from '../../../test/support/sitemap/collect.ts';

const A = 'https://shop.example/a';
const B = 'https://shop.example/b';
const C = 'https://shop.example/c';
const item = (loc: string, more = '') => `<item>${more}<link>${loc}</link></item>`;
const rss = (inner: string, attributes = '') =>
  `<?xml version="1.0"?><rss${attributes}><channel>${inner}</channel></rss>`;
const ATOM = 'xmlns="http://www.w3.org/2005/Atom"';
const atom = (inner: string, attributes = '') => `<feed ${ATOM}${attributes}>${inner}</feed>`;

interface Case {
  readonly what: string;
  readonly text: string;
  readonly locs: readonly string[];
  readonly urls?: readonly (string | null)[];
  readonly codes?: readonly string[];
}

const SLIP = ['warning XML_MALFORMED'];
const MALFORMED = ['error XML_MALFORMED'];

const read: readonly Case[] = [
  {
    what: 'unescaped markup in a description',
    text: rss(item(A, '<description>x<br>y</description>') + item(B) + item(C)),
    locs: [A, B, C],
  },
  {
    what: 'an unclosed image in a description',
    text: rss(item(A, '<description><img src=x></description>') + item(B)),
    locs: [A, B],
  },
  { what: 'a raw < in a title', text: rss(item(A, '<title>1 < 2</title>') + item(B)), locs: [A, B] },
  { what: 'a raw & in a title', text: rss(item(A, '<title>a & b</title>') + item(B)), locs: [A, B] },
  { what: 'a raw & in a link', text: rss(item(`${A}?x=1&y=2`) + item(B)), locs: [`${A}?x=1&y=2`, B], codes: SLIP },
  { what: 'text before and after the feed', text: `feed:\n${rss(item(A))}\nend`, locs: [A], codes: SLIP },
  { what: 'an element after the feed', text: `${rss(item(A))}<script>x</script>`, locs: [A], codes: SLIP },
  { what: 'an element called __proto__', text: rss(item(A, '<__proto__>x</__proto__>') + item(B)), locs: [A, B] },
  {
    what: 'RSS under a prefix',
    text: `<r:rss xmlns:r="urn:r"><r:channel><r:item><r:link>${A}</r:link></r:item></r:channel></r:rss>`,
    locs: [A],
  },
  {
    what: 'links of extensions beside the link of the item',
    text: rss(`<item><media:link>${C}</media:link><atom:link href="${B}"/><link>${A}</link></item>`),
    locs: [A],
  },
  {
    what: 'links in a source or in xhtml content',
    text: atom(
      `<entry><source><link href="${B}"/></source><content type="xhtml"><div><link href="${C}"/></div></content><link href="${A}"/></entry>`,
    ),
    locs: [A],
  },
  {
    what: 'an Atom entry with an alternate for programs first',
    text: atom(`<entry><link type="application/json" href="${B}"/><link type="text/html" href="${A}"/></entry>`),
    locs: [A],
  },
  {
    what: 'an Atom entry with an alternate for programs only',
    text: atom(`<entry><link type="application/json" href="${A}"/></entry>`),
    locs: [A],
  },
  {
    what: 'a relative link of Atom',
    text: atom('<entry><link href="/a"/></entry>'),
    locs: ['/a'],
    urls: [A],
  },
  {
    what: 'xml:base at every level of Atom, the inner against the outer',
    text: atom('<entry xml:base="2026/"><link xml:base="11/" href="a"/></entry>', ' xml:base="/blog/"'),
    locs: ['a'],
    urls: ['https://shop.example/blog/2026/11/a'],
  },
  {
    what: 'xml:base in RSS',
    text: rss(item('b'), ' xml:base="https://shop.example/"'),
    locs: ['b'],
    urls: [B],
  },
  {
    what: 'a relative link of RSS without xml:base',
    text: rss(item('/a') + item(B)),
    locs: ['/a', B],
    urls: [null, B],
    codes: ['warning RELATIVE_URL'],
  },
  {
    what: 'an item without a link among others',
    text: rss(`<item><title>x</title></item>${item(A)}`),
    locs: [A],
    codes: ['warning BAD_URL'],
  },
  {
    what: 'a guid that is not a permalink',
    text: rss(`<item><guid isPermaLink="false">${B}</guid></item>${item(A)}`),
    locs: [A],
    codes: ['warning BAD_URL'],
  },
  { what: 'CDATA around a link', text: rss(item(`<![CDATA[${A}?x=1&y=2]]>`)), locs: [`${A}?x=1&y=2`] },
  {
    what: 'a document type of RSS 0.91',
    text: `<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://my.netscape.example/rss.dtd">${rss(item(A)).slice(21)}`,
    locs: [A],
  },
];

const damaged: readonly Case[] = [
  {
    what: 'an open quote in a tag of one item',
    text: rss(`${item(A, '<x y="z>t</x>')}${item(B)}${item(C)}`),
    locs: [A, B, C],
    codes: MALFORMED,
  },
  {
    what: 'an item that is never closed',
    text: rss(`<item><link>${A}</link>${item(B)}${item(C)}`),
    locs: [A, B, C],
    codes: MALFORMED,
  },
  {
    what: 'the end of an item whose start is lost',
    text: rss(`${item(A)}<link>${B}</link></item>${item(C)}`),
    locs: [A, C],
    codes: MALFORMED,
  },
  {
    what: 'a description that is never closed',
    text: rss(`<item><link>${A}</link><description>x</item>${item(B)}`),
    locs: [A, B],
    codes: MALFORMED,
  },
  {
    what: 'a link that is never closed',
    text: rss(`<item><link>${A}</item>${item(B)}`),
    locs: [B],
    codes: ['error XML_MALFORMED', 'warning BAD_URL'],
  },
  {
    what: 'a last item that is never closed',
    text: rss(`${item(A)}<item><link>${B}</link>`),
    locs: [A, B],
    codes: MALFORMED,
  },
  {
    what: 'a root whose end tag is cut',
    text: rss(item(A) + item(B)).slice(0, -1),
    locs: [A, B],
    codes: ['error XML_TRUNCATED'],
  },
  {
    what: 'an end in a link',
    text: `<rss><channel>${item(A)}<item><link>https://shop.ex`,
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
  { what: 'an end in a comment', text: `<rss><channel>${item(A)}<!-- `, locs: [A], codes: ['error XML_TRUNCATED'] },
];

const empty: readonly (readonly [string, string, readonly string[]])[] = [
  ['items without links', rss('<item><title>a</title></item>'), ['error EMPTY', 'warning BAD_URL']],
  [
    'an Atom entry without a link under an xml:base',
    atom('<entry><title>note</title></entry>', ' xml:base="https://shop.example/blog/"'),
    ['error EMPTY', 'warning BAD_URL'],
  ],
  [
    'an Atom entry with an empty link',
    atom('<entry><link href=""/></entry>', ' xml:base="https://shop.example/"'),
    ['error EMPTY', 'warning BAD_URL'],
  ],
  ['relative links of RSS', rss(item('/a')), ['error EMPTY', 'warning RELATIVE_URL']],
  ['only links of an extension', rss(`<item><g:link>${A}</g:link></item>`), ['error EMPTY', 'warning BAD_URL']],
  ['no item', rss('<title>x</title>'), ['warning EMPTY']],
];

for (const [group, cases] of Object.entries({
  'feeds that are read': read,
  'damage in feeds costs its item': damaged,
})) {
  describe(group, () => {
    for (const { what, text, locs, urls, codes = [] } of cases) {
      test(what, async () => {
        for (const chunk of [text.length, 7]) {
          const got = await readBytes(text, { chunk });
          assert.deepEqual(got.locs, locs);
          assert.deepEqual(got.codes, codes);
          if (urls !== undefined)
            assert.deepEqual(
              got.entries.map(({ url }) => url),
              urls,
            );
        }
      });
    }
  });
}

describe('a feed without a usable item', () => {
  for (const [what, text, codes] of empty) {
    test(what, async () => {
      const got = await readBytes(text);
      assert.deepEqual([got.entries.filter(({ url }) => url !== null), got.codes], [[], codes]);
    });
  }
});

test('the date of an entry is that of its update, under the names of Atom 0.3 too', async () => {
  const dates: readonly (readonly [string, string])[] = [
    [
      atom(`<entry><link href="${A}"/><published>2026-01-01</published><updated>2026-01-02</updated></entry>`),
      '2026-01-02',
    ],
    [
      atom(`<entry><link href="${A}"/><issued>2026-01-01</issued><modified>2026-01-02</modified></entry>`),
      '2026-01-02',
    ],
    [atom(`<entry><link href="${A}"/><created>2026-01-01</created></entry>`), '2026-01-01'],
    [rss(`<item><link>${A}</link><dc:date>2026-01-03</dc:date></item>`), '2026-01-03'],
  ];
  for (const [text, lastmod] of dates) assert.equal((await readBytes(text)).entries[0]?.lastmod, lastmod);
});

test('a hundred thousand unclosed tags in a description are read in linear time', async () => {
  const started = process.cpuUsage();
  const { locs } = await readBytes(rss(item(A, `<description>${'<p>x'.repeat(100_000)}</description>`) + item(B)));
  assert.deepEqual(locs, [A, B]);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 2_000_000, `${user} µs`);
});
