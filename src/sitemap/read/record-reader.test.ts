import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NS, readBytes, urlset } from '../../../test/support/sitemap/collect.ts';
import { getStart } from '../../url/version.ts';

const A = 'https://shop.example/a';
const B = 'https://shop.example/b';
const C = 'https://shop.example/c';
const doc = (inner: string, attributes = NS) => `<?xml version="1.0"?><urlset ${attributes}>${inner}</urlset>`;
const url = (loc: string, more = '') => `<url><loc>${loc}</loc>${more}</url>`;

interface Case {
  readonly what: string;
  readonly text: string | Buffer;
  readonly locs?: readonly string[];
  readonly children?: readonly string[];
  readonly codes?: readonly string[];
}

const NAMESPACE = ['warning NAMESPACE'];
const MALFORMED = ['error XML_MALFORMED'];
const SLIP = ['warning XML_MALFORMED'];
const IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const SITEMAP_09 = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const read: readonly Case[] = [
  { what: 'a plain urlset', text: urlset(A, B), locs: [A, B] },
  { what: 'white space and line ends around a loc', text: doc(url(`\r\n\t ${A} \n`)), locs: [A] },
  {
    what: 'CDATA',
    text: doc(url('<![CDATA[https://shop.example/?a=1&b=2]]>')),
    locs: ['https://shop.example/?a=1&b=2'],
  },
  {
    what: 'text, CDATA and a comment in one loc',
    text: doc(url('https://shop<!-- x -->.example<![CDATA[/a]]>')),
    locs: [A],
  },
  { what: 'a processing instruction in a loc', text: doc(url('https://shop.example<?x y?>/a')), locs: [A] },
  {
    what: 'entities and numeric references, once',
    text: doc(url('https://shop.example/?a=&#38;&#x26;&amp;&lt;&gt;&quot;&apos;&amp;amp;')),
    locs: ['https://shop.example/?a=&&&<>"\'&amp;'],
  },
  { what: 'letters beyond ASCII', text: doc(url('https://shop.example/çay')), locs: ['https://shop.example/çay'] },
  {
    what: 'letters beyond Unicode’s first plane',
    text: doc(url('https://shop.example/&#x1F375;🍵')),
    locs: ['https://shop.example/🍵🍵'],
  },
  {
    what: 'a prefix',
    text: `<s:urlset xmlns:s="${SITEMAP_09}"><s:url><s:loc>${A}</s:loc></s:url></s:urlset>`,
    locs: [A],
  },
  {
    what: 'two prefixes of one namespace',
    text: `<s:urlset xmlns:s="${SITEMAP_09}" xmlns:t="${SITEMAP_09}"><t:url><t:loc>${A}</t:loc></t:url></s:urlset>`,
    locs: [A],
  },
  { what: 'no namespace', text: doc(url(A), ''), locs: [A], codes: NAMESPACE },
  {
    what: 'another namespace',
    text: doc(url(A), 'xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"'),
    locs: [A],
    codes: NAMESPACE,
  },
  {
    what: 'a root prefix that is not declared',
    text: `<s:urlset><s:url><s:loc>${A}</s:loc></s:url></s:urlset>`,
    locs: [A],
    codes: NAMESPACE,
  },
  {
    what: 'a namespace declared on the record',
    text: `<urlset><url xmlns="${SITEMAP_09}"><loc>${A}</loc></url></urlset>`,
    locs: [A],
    codes: NAMESPACE,
  },
  {
    what: 'an image loc, wherever it stands',
    text: doc(
      url(
        A,
        `<image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image><image:loc>https://cdn.example/2.jpg</image:loc>`,
      ).concat(`<url><image:loc>https://cdn.example/3.jpg</image:loc><loc>${B}</loc></url>`),
      `${NS} ${IMAGE}`,
    ),
    locs: [A, B],
  },
  {
    what: 'an image loc by default namespace',
    text: doc(
      `<url><loc xmlns="http://www.google.com/schemas/sitemap-image/1.1">https://cdn.example/1.jpg</loc><loc>${A}</loc></url>`,
    ),
    locs: [A],
  },
  {
    what: 'an image prefix that is not declared',
    text: doc(url(A, '<image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image>')),
    locs: [A],
    codes: NAMESPACE,
  },
  {
    what: 'a loc outside of a record',
    text: doc(`<loc>${B}</loc><x><loc>${C}</loc></x>${url(A)}`),
    locs: [A],
  },
  { what: 'the first loc of two', text: doc(`<url><loc>${A}</loc><loc>${B}</loc></url>`), locs: [A], codes: SLIP },
  { what: '> in an attribute', text: doc(url(A, '<x y="a > b" z=\'</loc>\'/>').replace("'</loc>'", "'>'")), locs: [A] },
  { what: 'comments with markup in them', text: doc(`<!-- ${url(B)} -- > -->${url(A)}`), locs: [A] },
  {
    what: 'CDATA with markup in it',
    text: doc(url(A, `<news:title><![CDATA[${url(B)}]]></news:title>`), `${NS} xmlns:news="n"`),
    locs: [A],
  },
  { what: 'names in any case', text: `<URLSET ${NS}><Url><Loc>${A}</Loc></Url></URLSET>`, locs: [A] },
  { what: 'white space in tags', text: `<urlset\n${NS}\n><url ><loc\t>${A}</loc\n></url ></urlset >`, locs: [A] },
  {
    what: 'a document type that only names',
    text: `<!DOCTYPE urlset SYSTEM "https://x.example/s.dtd">${doc(url(A)).slice(21)}`,
    locs: [A],
  },
  {
    what: 'a document type without entities',
    text: `<!DOCTYPE urlset [<!ELEMENT urlset ANY>]>${doc(url(A)).slice(21)}`,
    locs: [A],
  },
  {
    what: 'an empty record among others',
    text: doc(`<url/>${url(A)}<url></url>`),
    locs: [A],
    codes: ['warning BAD_URL'],
  },
  { what: 'a well-formed sitemap without a record', text: doc(''), locs: [], codes: ['warning EMPTY'] },
  { what: 'a root that closes itself', text: `<urlset ${NS}/>`, locs: [], codes: ['warning EMPTY'] },
  {
    what: 'an index',
    text: `<sitemapindex ${NS}><sitemap><loc>${A}</loc><lastmod>2026</lastmod></sitemap></sitemapindex>`,
    children: [A],
  },
];

const tolerated: readonly Case[] = [
  { what: 'text before the document', text: `sitemap.xml\r\n${doc(url(A))}`, locs: [A], codes: SLIP },
  { what: 'white space and a byte order mark before it', text: `\uFEFF\n ${doc(url(A))}`, locs: [A] },
  { what: 'text after the document', text: `${doc(url(A))}\n}`, locs: [A], codes: SLIP },
  { what: 'an element after the document', text: `${doc(url(A))}<script>x</script>`, locs: [A], codes: SLIP },
  { what: 'two documents', text: doc(url(A)) + doc(url(B)), locs: [A, B], codes: SLIP },
  { what: 'text between records', text: doc(`")${url(A)}stray${url(B)}`), locs: [A, B] },
  {
    what: 'a raw & in a loc',
    text: doc(url('https://shop.example/?a=1&b=2&copy=3')),
    locs: ['https://shop.example/?a=1&b=2&copy=3'],
    codes: SLIP,
  },
  {
    what: 'records inside records',
    text: doc(`<url><loc>${A}</loc>${url(B)}<url><loc>${C}</loc></url></url>${url(A)}`),
    locs: [A, B, C, A],
    codes: SLIP,
  },
  {
    what: 'records three deep',
    text: doc(`<url><loc>${A}</loc><url><loc>${B}</loc><url><loc>${C}</loc></url></url></url>`),
    locs: [A, B, C],
    codes: SLIP,
  },
  {
    what: 'an entity of HTML',
    text: doc(url('https://shop.example/?a=&nbsp;')),
    locs: ['https://shop.example/?a=&nbsp;'],
    codes: SLIP,
  },
  {
    what: 'a reference to no character',
    text: doc(url('https://shop.example/?a=&#0;') + url(A)),
    locs: [A],
    codes: ['warning BAD_URL', ...SLIP],
  },
  {
    what: 'the error messages of a program before the document',
    text: `<br />\n<b>Warning</b>: x in <b>y.php</b> on line <b>3</b><br />\n${doc(url(A))}`,
    locs: [A],
    codes: SLIP,
  },
  {
    what: 'invalid UTF-8 outside of a loc',
    text: Buffer.concat([Buffer.from('<!-- '), Buffer.from([0xe9, 0xff]), Buffer.from(` -->${doc(url(A)).slice(21)}`)]),
    locs: [A],
  },
  {
    what: 'invalid UTF-8 in a loc',
    text: Buffer.from(doc(url('https://shop.example/caf\xe9') + url(B)), 'latin1'),
    locs: [B],
    codes: ['warning BAD_URL'],
  },
];

const damaged: readonly Case[] = [
  {
    what: 'a loc without end around a record',
    text: doc(`<url><loc>${A}${url(B)}</url>${url(C)}`),
    locs: [B, C],
    codes: MALFORMED,
  },
  { what: 'one record without a root', text: url(A), locs: [A], codes: MALFORMED },
  {
    what: 'a sitemap with two locs as the root',
    text: `<sitemap><loc>${A}</loc><loc>${B}</loc></sitemap>`,
    children: [A],
    codes: ['error XML_MALFORMED', 'warning XML_MALFORMED'],
  },
  { what: 'a loc without end', text: doc(`<url><loc>${A}</url>${url(B)}`), locs: [B], codes: MALFORMED },
  {
    what: 'a loc with the wrong end',
    text: doc(`<url><loc>${A}</lco><lastmod>2026</lastmod></url>${url(B)}`),
    locs: [B],
  },
  {
    what: 'a record without end',
    text: doc(`<url><loc>${A}</loc>${url(B)}${url(C)}`),
    locs: [A, B, C],
    codes: MALFORMED,
  },
  { what: 'a tag without end', text: doc(`<url${url(B)}`), locs: [B], codes: MALFORMED },
  {
    what: 'a lost quote',
    text: doc(url(A, '<x y="z/>') + url(B) + url(C, '<x y="z"/>')),
    locs: [B, C],
    codes: MALFORMED,
  },
  { what: 'a < in text', text: doc(`${url(A, '<t>1 < 2</t>')}${url(B)}`), locs: [A, B], codes: MALFORMED },
  { what: 'an end tag too many', text: doc(`${url(A)}</url>${url(B)}`), locs: [A, B], codes: MALFORMED },
  { what: 'crossed tags', text: doc(url(A, '<x><y></x></y>') + url(B)), locs: [A, B], codes: MALFORMED },
  { what: 'records without a root', text: `${url(A)}${url(B)}`, locs: [A, B] },
  {
    what: 'a document that stops between records',
    text: doc(url(A)).replace('</urlset>', ''),
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
  {
    what: 'a document that stops in a loc',
    text: `<urlset ${NS}>${url(A)}<url><loc>https://shop.ex`,
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
  {
    what: 'a document that stops after a loc',
    text: `<urlset ${NS}>${url(A)}<url><loc>${B}</loc>`,
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
  {
    what: 'a document that stops in a tag',
    text: `<urlset ${NS}>${url(A)}<url><lo`,
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
  {
    what: 'a document that stops in a comment',
    text: `<urlset ${NS}>${url(A)}<!-- `,
    locs: [A],
    codes: ['error XML_TRUNCATED'],
  },
];

describe('urlset and sitemapindex', () => {
  for (const [promise, cases] of Object.entries({
    'without a problem': read,
    'with a warning': tolerated,
    'with damage': damaged,
  })) {
    for (const { what, text, locs = [], children = [], codes } of cases) {
      test(`${promise}: ${what}`, async () => {
        for (const chunk of [1 << 20, 1, 7]) {
          const got = await readBytes(text, { chunk });
          assert.deepEqual(got.locs, locs);
          assert.deepEqual(got.children, children);
          if (codes !== undefined) assert.deepEqual(got.codes, codes);
          else if (promise !== 'with damage') assert.deepEqual(got.codes, []);
          else assert.ok(got.codes.includes('error XML_MALFORMED'), String(got.codes));
        }
      });
    }
  }
});

test('an invalid or future lastmod is a warning and keeps its text', async () => {
  const { entries, problems } = await readBytes(
    doc(
      url(A, '<lastmod> 2026-01-02T03:04:05+03:00 </lastmod>') +
        url(B, '<lastmod>02.01.2026</lastmod>') +
        url(C, '<lastmod>2099-01-01</lastmod>') +
        url(C, '<lastmod></lastmod>'),
    ),
  );
  assert.deepEqual(
    entries.map(({ lastmod, version }) => [lastmod, version && getStart(version)]),
    [
      ['2026-01-02T03:04:05+03:00', Date.parse('2026-01-02T00:04:05Z')],
      ['02.01.2026', null],
      ['2099-01-01', Date.parse('2099-01-01')],
      [null, null],
    ],
  );
  assert.deepEqual(
    problems.map(({ code, severity }) => [code, severity]),
    [
      ['LASTMOD_INVALID', 'warning'],
      ['LASTMOD_FUTURE', 'warning'],
    ],
  );
});

test('a problem carries the offset of its first occurrence and a count', async () => {
  const text = doc(`${url(A)}</x>${url(B)}</x>`);
  const { problems } = await readBytes(text);
  assert.equal(problems[0]?.count, 2);
  assert.match(problems[0]!.message, new RegExp(`at byte ${text.indexOf('</x>')}$`));
});

test('hreflang alternates are pages only with the hreflang option', async () => {
  const link = (href: string) => `<xhtml:link rel="alternate" hreflang="tr" href="${href}"/>`;
  const text = doc(url(A, link(A) + link(`${B}?x=1&amp;y=2`)), `${NS} xmlns:xhtml="http://www.w3.org/1999/xhtml"`);
  assert.deepEqual((await readBytes(text)).locs, [A]);
  assert.deepEqual((await readBytes(text, { hreflang: true })).locs, [A, `${B}?x=1&y=2`]);
});

const left: readonly (readonly [string, string])[] = [
  ['with credentials', 'https://user:secret@shop.example/'],
  ['of another scheme', 'mailto:a@shop.example'],
  ['that is a placeholder', '{{ site.url }}/a'],
  ['that is too long', `https://shop.example/${'x'.repeat(2_100)}`],
];
describe('URLs that are left out', () => {
  for (const [what, loc] of left) {
    test(`a URL ${what}`, async () => {
      const { locs, problems } = await readBytes(urlset(loc, A));
      assert.deepEqual(locs, [A]);
      assert.deepEqual(
        problems.map(({ code, severity }) => `${severity} ${code}`),
        ['warning BAD_URL'],
      );
      assert.doesNotMatch(JSON.stringify(problems), /secret/);
    });
  }
});

test('a relative URL is reported with a count and never resolved to a page', async () => {
  const { entries, problems } = await readBytes(urlset(A, '/b', '//cdn.example/c', 'd.html'));
  assert.deepEqual(
    entries.map(({ loc, url, relative }) => [loc, url, relative]),
    [
      [A, A, undefined],
      ['/b', null, true],
      ['//cdn.example/c', null, true],
      ['d.html', null, true],
    ],
  );
  assert.deepEqual(
    problems.map(({ severity, code, count }) => [severity, code, count]),
    [['warning', 'RELATIVE_URL', 3]],
  );
  const local = await readBytes(urlset('/a'), { base: undefined });
  assert.deepEqual(
    [local.entries[0]?.loc, local.entries[0]?.url, local.codes],
    ['/a', null, ['error EMPTY', 'warning RELATIVE_URL']],
  );
});

const unusable: readonly (readonly [string, string])[] = [
  ['a link in every loc', url(`<a href="${A}">${A}</a>`)],
  ['records without loc', `<url><link>${A}</link></url>`],
  ['unknown elements', `<page><loc>${A}</loc></page>`],
  ['records of another namespace', `<x:url xmlns:x="urn:x"><x:loc>${A}</x:loc></x:url>`],
  ['empty locs', url('')],
  ['relative URLs only', url('/a') + url('b.html')],
  ['placeholders only', url('http//shop.example/') + url('example.com') + url('#top') + url('__BASE_URL__/x')],
];
describe('a sitemap in which no record is usable is an error', () => {
  for (const [what, inner] of unusable) {
    test(what, async () => {
      const { entries, codes } = await readBytes(doc(inner));
      assert.deepEqual(
        entries.filter((entry) => entry.url !== null),
        [],
      );
      assert.ok(codes.includes('error EMPTY'), String(codes));
    });
  }
});

test('a sitemap without a usable record is an error', async () => {
  assert.deepEqual((await readBytes(urlset('{{ a }}', '{{ b }}'))).codes, ['error EMPTY', 'warning BAD_URL']);
});
