import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ReadSetup, readBytes } from '../../../test/support/sitemap/collect.ts';

const HOST = 'https://shop.example';
const [A, B, C] = [`${HOST}/a`, `${HOST}/b`, `${HOST}/c`];
const D = '2024-01-01';
const rows = (...lines: readonly string[]) => `${lines.join('\n')}\n`;
const csv = rows('loc,lastmod', `${A},${D}`, `${B},2024-01-02T10:00:00Z`);
const WHOLE = [
  [A, D],
  [B, '2024-01-02T10:00:00Z'],
];
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

type Page = readonly (string | null)[];

const TABLES: Readonly<Record<string, readonly [string | Buffer, readonly Page[], ReadSetup?]>> = {
  'with a header': [csv, WHOLE],
  'without a last line end': [csv.trimEnd(), WHOLE],
  'with a header in capitals': [rows('URL,LASTMOD', `${A},${D}`), [[A, D]]],
  'with a byte order mark and CR LF': [`\uFEFF${csv.replaceAll('\n', '\r\n')}`, WHOLE],
  'of an old Mac, with CR': [csv.replaceAll('\n', '\r'), WHOLE],
  'with semicolons': [csv.replaceAll(',', ';'), WHOLE],
  'with tabs': [csv.replaceAll(',', '\t'), WHOLE],
  'with tabs in UTF-16, as Excel saves it': [utf16(csv.replaceAll(',', '\t')), WHOLE],
  'that says its separator': [`sep=;\n${csv.replaceAll(',', ';')}`, WHOLE],
  'with quotes': [
    rows('"loc","lastmod"', `"${A}","${D}"`, `"${B}",`),
    [
      [A, D],
      [B, null],
    ],
  ],
  'with quotes and one column': [rows('"loc"', `"${A}"`), [[A, null]]],
  'with spaces around cells': [rows('loc , lastmod', ` ${A} , ${D} `), [[A, D]]],
  'with the URL in the second column': [
    rows('name,url', `Home,${A}`, `"About, us",${B}`),
    [
      [A, null],
      [B, null],
    ],
  ],
  'with the date first': [rows('lastmod;title;loc', `${D};"a ""quoted"" title";${A}`), [[A, D]]],
  'with titles of several lines': [
    rows('title,loc', `"a\n\n""title""\r\n, long",${A}`, `b,${B}`),
    [
      [A, null],
      [B, null],
    ],
  ],
  'with separators in URLs, in quotes': [
    rows('loc,lastmod', `"${A},b",${D}`, `"${A};c",`),
    [
      [`${A},b`, D],
      [`${A};c`, null],
    ],
  ],
  'with letters beyond ASCII': [rows('loc,lastmod', `${HOST}/çay,${D}`), [[`${HOST}/çay`, D]]],
  'of windows-1254 by HTTP': [
    Buffer.from(rows('loc,lastmod', `${HOST}/\xfe,${D}`), 'latin1'),
    [[`${HOST}/ş`, D]],
    { contentType: 'text/csv; charset=windows-1254' },
  ],
  'with comments, blank rows and blank cells': [
    rows('# made by hand', '', 'loc,lastmod,note', '', `${A},${D}`, '# not this: x,y,z,w', ',,', `${B},,,,`, `${C}`),
    [
      [A, D],
      [B, null],
      [C, null],
    ],
  ],
  'with dates in other orders, which are kept as text': [
    rows('loc;lastmod', `${A};01.02.2024`, `${B};2024/2/1`, `${C};2024-01-01 10:00`),
    [
      [A, '01.02.2024'],
      [B, '2024/2/1'],
      [C, '2024-01-01 10:00'],
    ],
  ],
  'longer than a block': [
    rows('loc,lastmod', ...Array.from({ length: 20_000 }, (_, n) => `"${A}-${n}",${D}`)),
    Array.from({ length: 20_000 }, (_, n) => [`${A}-${n}`, D]),
  ],
};
describe('a table whose header names the URLs is read', () => {
  for (const [what, [document, pages, setup]] of Object.entries(TABLES)) {
    for (const chunk of [1_000_000, 1_000, 1]) {
      test(`${what}, in chunks of ${chunk}`, async () => {
        const { entries, codes } = await readBytes(document, { path: '/pages.csv', ...setup, chunk });
        assert.deepEqual(
          entries.map(({ loc, lastmod }) => [loc, lastmod]),
          pages,
        );
        assert.deepEqual(
          codes.filter((code) => code !== 'warning LASTMOD_INVALID'),
          [],
        );
      });
    }
  }
});

describe('a row that may be split at the wrong place is no page', () => {
  const ROWS: Readonly<Record<string, string>> = {
    'a separator in the URL': `${B},c,${D}`,
    'a separator in the URL, and no date': `${B},c`,
    'more cells than the header': `${B},${D},x`,
    'a relative URL': `/b,${D}`,
    'a title in place of the URL': `About us,${D}`,
    'a second URL': `${B} ${C},${D}`,
    'no URL': `,${D}`,
  };
  for (const [what, row] of Object.entries(ROWS)) {
    test(what, async () => {
      const { locs, codes } = await readBytes(rows('loc,lastmod', `${A},${D}`, row, `${C},${D}`));
      assert.deepEqual([locs, codes], [[A, C], ['warning BAD_URL']]);
    });
  }
});

describe('quotes that do not fit make the table incomplete', () => {
  const TEXTS: Readonly<Record<string, string>> = {
    'text behind a quote': rows('loc,lastmod', `"${A}"x,${D}`, `${B},${D}`),
    'a quote alone': rows('loc,title', `${B},x`, '"'),
    'a quote that is never closed': rows('loc,title', `${B},x`, `${A},"title`),
    'a quote that swallows a row': rows('loc,lastmod', `"${A},${D}`, `${C},"${D}`, `${B},${D}`),
  };
  for (const [what, text] of Object.entries(TEXTS)) {
    test(what, async () => {
      const { locs, codes } = await readBytes(text);
      assert.deepEqual([locs, codes], [[B], ['error CSV_MALFORMED']]);
    });
  }

  test('also where it is longer than anything that is held', async () => {
    const { locs, codes } = await readBytes(`loc,title\n${A},x\n${B},"${'x'.repeat(600_000)}\n${C},x\n`, {
      chunk: 1_000,
    });
    assert.deepEqual([locs, codes], [[A], ['error RECORD_TOO_LARGE']]);
  });
});

test('a table without a row is empty, and one of rows without a URL is not complete', async () => {
  assert.deepEqual((await readBytes('loc,lastmod\n')).codes, ['warning EMPTY']);
  assert.deepEqual((await readBytes('loc,lastmod\n/a,\n')).codes, ['error EMPTY', 'warning BAD_URL']);
});

test('a password in a row is not shown', async () => {
  const { problems } = await readBytes(rows('loc,x', `https://me:secret@shop.example/b c,x`, `${A},x`));
  assert.equal(problems.length, 1);
  assert.doesNotMatch(JSON.stringify(problems), /secret/);
});
